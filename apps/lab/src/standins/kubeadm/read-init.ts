import { hours, isJsonObject, minutes, type JsonObject } from '@windlass/foundation';
import type { Flags } from '../cli/flags.js';
import { parseGoDuration } from '../cli/go-duration.js';
import { CONTAINERD_SOCKET, socketPath } from '../cri/container-runtime.js';
import { DocumentError, parseDocuments } from '../documents/documents.js';
import { readIfThere } from '../host/files.js';
import { defaultAddress } from '../host/network.js';
import { isIpv4 } from '../kube/ip-range.js';
import { BOOTSTRAP_TOKEN, isSubdomain, newBootstrapToken } from '../kube/names.js';
import { at, listAt, objectAt, stringAt } from '../kube/object.js';
import { defaultNodeName } from '../kubelet/node-info.js';
import { EXIT, failure } from './output.js';
import { argumentsAt, durationAt, invalid, KNOWN_GATES, readCluster, taintsAt, textsAt } from './read-configuration.js';
import { DEFAULT_GROUP, type BootstrapTokenSettings, type Endpoint, type InitSettings, type NodeSettings } from './settings.js';

/** Flags that may stand beside `--config`, and all that begin with `skip-`; kubeadm refuses to mix the others. */
const BESIDE_CONFIG = new Set([
  ...['config', 'ignore-preflight-errors', 'dry-run', 'kubeconfig', 'kubeconfig-dir', 'node-name', 'upload-certs'],
  ...['print-join-command', 'rootfs', 'v', 'yes', 'output'],
]);

/** @throws ExitError as `kubeadm init`, `join`, `reset` and `token create`, when flags and `--config` are mixed */
export function refuseMixing(flags: Flags): void {
  if (!flags.given('config')) return;
  const mixed = flags.changed.filter((name) => !BESIDE_CONFIG.has(name) && !name.startsWith('skip-'));
  if (mixed.length > 0) throw failure(`can not mix '--config' with arguments [${mixed.join(' ')}]`, EXIT.validation);
}

/** The documents of `--config`, by kind; none without the flag. @throws ExitError */
export async function documentsOf(flags: Flags): Promise<Map<string, JsonObject>> {
  const path = flags.string('config');
  if (!flags.given('config')) return new Map();
  const text = await readIfThere(path);
  if (text === undefined) throw failure(`unable to read config from "${path}" : open ${path}: no such file or directory`);
  try {
    const documents = await parseDocuments(text);
    return new Map(documents.map((document) => [stringAt(document, 'kind') ?? '', document]));
  } catch (error) {
    if (error instanceof DocumentError) throw failure(error.message);
    throw error;
  }
}

/** The node's part, from a document's `nodeRegistration` and the flags. */
export function readNode(document: JsonObject, flags: Flags): NodeSettings {
  const flagged = flags.given('node-name') ? flags.string('node-name') : undefined;
  const name = (flagged ?? stringAt(document, 'nodeRegistration', 'name') ?? defaultNodeName()).toLowerCase();
  if (!isSubdomain(name))
    throw failure(`nodeRegistration.name: Invalid value: "${name}": a lowercase RFC 1123 subdomain is expected`, EXIT.validation);
  const socket = flags.given('cri-socket')
    ? flags.string('cri-socket')
    : (stringAt(document, 'nodeRegistration', 'criSocket') ?? '');
  const criSocket = socket === '' ? CONTAINERD_SOCKET : socket;
  if (socketPath(criSocket) === undefined) {
    throw failure(
      `nodeRegistration.criSocket: Invalid value: "${criSocket}": only unix URLs and absolute paths are valid`,
      EXIT.validation,
    );
  }
  const policy = stringAt(document, 'nodeRegistration', 'imagePullPolicy') ?? '';
  if (!['', 'Always', 'IfNotPresent', 'Never'].includes(policy))
    throw invalid('nodeRegistration.imagePullPolicy', policy, 'supported values: Always, IfNotPresent, Never');
  return {
    name,
    criSocket: criSocket.startsWith('/') ? `unix://${criSocket}` : criSocket,
    taints: taintsAt(document, 'nodeRegistration', 'taints'),
    kubeletExtraArgs: argumentsAt(document, 'nodeRegistration', 'kubeletExtraArgs'),
    ignorePreflightErrors: [
      ...textsAt(document, 'nodeRegistration', 'ignorePreflightErrors'),
      ...flags.strings('ignore-preflight-errors'),
    ],
  };
}

/** The local API endpoint. @throws ExitError when there is no address, or a bad one */
export async function readEndpoint(document: unknown, flags: Flags): Promise<Endpoint> {
  const flagged = flags.given('apiserver-advertise-address') ? flags.string('apiserver-advertise-address') : undefined;
  const advertiseAddress = flagged ?? stringAt(document, 'advertiseAddress') ?? (await defaultAddress());
  if (advertiseAddress === undefined) throw failure('unable to select an IP from default routes.');
  if (!isIpv4(advertiseAddress) || advertiseAddress === '0.0.0.0') {
    throw failure(`localAPIEndpoint: Invalid value: "${advertiseAddress}": ip is not valid`, EXIT.validation);
  }
  const port = flags.given('apiserver-bind-port') ? flags.int('apiserver-bind-port') : at(document, 'bindPort');
  const bindPort = typeof port === 'number' && port !== 0 ? port : 6443;
  if (bindPort < 1 || bindPort > 65_535)
    throw failure(`localAPIEndpoint: Invalid value: ${bindPort}: port number is not valid`, EXIT.validation);
  return { advertiseAddress, bindPort };
}

/** A bootstrap token's settings. @throws ExitError status 3 for a token of another form */
export function readToken(document: JsonObject): BootstrapTokenSettings {
  const token = stringAt(document, 'token') ?? newBootstrapToken();
  if (!BOOTSTRAP_TOKEN.test(token))
    throw failure(`the bootstrap token "${token}" was not of the form "[a-z0-9]{6}.[a-z0-9]{16}"`, EXIT.validation);
  const usages = textsAt(document, 'usages');
  const unusual = usages.find((usage) => !['signing', 'authentication'].includes(usage));
  if (unusual !== undefined)
    throw failure(`invalid bootstrap token usage string: ${unusual}, valid usages: signing, authentication`, EXIT.validation);
  if (at(document, 'expires') !== undefined && at(document, 'ttl') !== undefined)
    throw invalid('bootstrapTokens', '', 'the BootstrapToken .expires and .ttl fields are mutually exclusive');
  const groups = textsAt(document, 'groups');
  const bad = groups.find((group) => !group.startsWith('system:bootstrappers:'));
  if (bad !== undefined)
    throw failure(
      `bootstrap group "${bad}" is invalid (must match \\Asystem:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]\\z)`,
      EXIT.validation,
    );
  return {
    token,
    description: stringAt(document, 'description') ?? '',
    ttl: parseGoDuration(stringAt(document, 'ttl') ?? '24h') ?? hours(24),
    usages: usages.length === 0 ? ['signing', 'authentication'] : usages,
    groups: groups.length === 0 ? [DEFAULT_GROUP] : groups,
  };
}

/** What `kubeadm init` is asked to do, by flags or by file. @throws ExitError */
export async function readInit(
  flags: Flags,
  version: string,
  /** What a release channel stands for. */
  released: (channel: string) => Promise<string>,
): Promise<InitSettings> {
  refuseMixing(flags);
  const documents = await documentsOf(flags);
  const init = documents.get('InitConfiguration') ?? {};
  const given = documents.get('ClusterConfiguration') ?? {};
  if (flags.given('config') && !documents.has('InitConfiguration') && !documents.has('ClusterConfiguration')) {
    throw failure('no InitConfiguration or ClusterConfiguration kind was found in the YAML file');
  }
  const asked = flags.given('config') ? given : clusterFromFlags(flags);
  const kubernetesVersion = await released(stringAt(asked, 'kubernetesVersion') ?? '');
  const cluster = readCluster({ ...asked, kubernetesVersion }, version);
  const certificateKey = flags.given('certificate-key')
    ? flags.string('certificate-key')
    : (stringAt(init, 'certificateKey') ?? '');
  checkCertificateKey(certificateKey);
  const tokens = listAt(init, 'bootstrapTokens').filter(isJsonObject).map(readToken);
  return {
    cluster,
    lacking: lackingIn(init, flags),
    node: readNode(init, flags),
    local: await readEndpoint(objectAt(init, 'localAPIEndpoint'), flags),
    tokens: tokens.length > 0 ? tokens : [tokenFromFlags(flags)],
    certificateKey,
    uploadCerts: flags.bool('upload-certs'),
    skipPhases: [...textsAt(init, 'skipPhases'), ...flags.strings('skip-phases')],
    skipTokenPrint: flags.bool('skip-token-print'),
    skipCertificateKeyPrint: flags.bool('skip-certificate-key-print'),
    kubelet: documents.get('KubeletConfiguration') ?? {},
    kubeProxy: documents.get('KubeProxyConfiguration') ?? {},
    healthWithin: durationAt(init, minutes(4), 'timeouts', 'controlPlaneComponentHealthCheck'),
  };
}

/** What is asked for that the real kubeadm does and the stand-in does not. */
export const lackingIn = (document: JsonObject, flags: Flags): string | undefined =>
  at(document, 'dryRun') === true || flags.bool('dry-run')
    ? 'dry-run'
    : at(document, 'patches') !== undefined || flags.given('patches')
      ? 'patches'
      : undefined;

/** @throws ExitError when it is not 32 bytes in hex */
export function checkCertificateKey(key: string): void {
  if (key !== '' && !/^[0-9a-fA-F]{64}$/.test(key)) {
    throw failure(
      `certificateKey: Invalid value: "${'*'.repeat(8)}": certificate key must be a hex encoded string of 32 bytes`,
      EXIT.validation,
    );
  }
}

const tokenFromFlags = (flags: Flags): BootstrapTokenSettings =>
  readToken({
    ...(flags.given('token') ? { token: flags.string('token') } : {}),
    ttl: flags.string('token-ttl'),
    description: "The default bootstrap token generated by 'kubeadm init'.",
  });

function clusterFromFlags(flags: Flags): JsonObject {
  const gates = Object.fromEntries(
    flags.strings('feature-gates').map((entry) => {
      const [name = '', value = ''] = entry.split('=');
      if (!KNOWN_GATES.includes(name)) throw failure(`unrecognized feature-gate key: ${name}`);
      return [name, value === 'true'];
    }),
  );
  return {
    kubernetesVersion: flags.string('kubernetes-version'),
    controlPlaneEndpoint: flags.string('control-plane-endpoint'),
    certificatesDir: flags.string('cert-dir'),
    imageRepository: flags.string('image-repository'),
    apiServer: { certSANs: flags.strings('apiserver-cert-extra-sans') },
    networking: {
      serviceSubnet: flags.string('service-cidr'),
      podSubnet: flags.string('pod-network-cidr'),
      dnsDomain: flags.string('service-dns-domain'),
    },
    featureGates: gates,
  };
}
