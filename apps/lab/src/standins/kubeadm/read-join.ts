import { isAbsolute } from 'node:path';
import { isJsonObject, minutes, type JsonObject } from '@windlass/foundation';
import type { Flags } from '../cli/flags.js';
import { readIfThere } from '../host/files.js';
import { BOOTSTRAP_TOKEN } from '../kube/names.js';
import { at, objectAt, stringAt } from '../kube/object.js';
import { EXIT, failure } from './output.js';
import { durationAt, invalid, isHostPort, textsAt } from './read-configuration.js';
import { checkCertificateKey, documentsOf, lackingIn, readEndpoint, readNode, refuseMixing } from './read-init.js';
import type { JoinSettings } from './settings.js';

/** What `kubeadm join` is asked to do, by flags or by file. @throws ExitError */
export async function readJoin(flags: Flags): Promise<JoinSettings> {
  refuseMixing(flags);
  const documents = await documentsOf(flags);
  const join = documents.get('JoinConfiguration');
  if (flags.given('config') && join === undefined) throw failure('no JoinConfiguration found in config file');
  if (flags.positional.length > 1) throw failure(`accepts at most 1 arg(s), received ${flags.positional.length}`);
  const document = join ?? documentFromFlags(flags);
  const authority = stringAt(document, 'caCertPath') ?? '/';
  if (!isAbsolute(authority)) throw invalid('caCertPath', authority, 'the ca certificate path must be an absolute path');
  const { discovery, tlsBootstrapToken } = await readDiscovery(document);
  return {
    lacking: lackingIn(document, flags),
    node: readNode(document, flags),
    discovery,
    tlsBootstrapToken,
    controlPlane: await readControlPlane(document, flags),
    skipPhases: [...textsAt(document, 'skipPhases'), ...flags.strings('skip-phases')],
    discoveryWithin: durationAt(document, durationAt(document, minutes(5), 'discovery', 'timeout'), 'timeouts', 'discovery'),
    healthWithin: durationAt(document, minutes(4), 'timeouts', 'kubeletHealthCheck'),
  };
}

function documentFromFlags(flags: Flags): JsonObject {
  const [endpoint] = flags.positional;
  const token = flags.string('token');
  const discoveryToken = flags.given('discovery-token') ? flags.string('discovery-token') : token;
  const bootstrapToken: JsonObject = {
    ...(discoveryToken === '' ? {} : { token: discoveryToken }),
    ...(endpoint === undefined ? {} : { apiServerEndpoint: endpoint }),
    caCertHashes: flags.strings('discovery-token-ca-cert-hash'),
    unsafeSkipCAVerification: flags.bool('discovery-token-unsafe-skip-ca-verification'),
  };
  const useToken = discoveryToken !== '' || endpoint !== undefined;
  return {
    discovery: {
      ...(flags.given('discovery-file') ? { file: { kubeConfigPath: flags.string('discovery-file') } } : {}),
      ...(useToken ? { bootstrapToken } : {}),
      tlsBootstrapToken: flags.given('tls-bootstrap-token') ? flags.string('tls-bootstrap-token') : token,
    },
  };
}

async function readDiscovery(document: JsonObject): Promise<Pick<JoinSettings, 'discovery' | 'tlsBootstrapToken'>> {
  const token = objectAt(document, 'discovery', 'bootstrapToken');
  const file = objectAt(document, 'discovery', 'file');
  if (token === undefined && file === undefined) throw invalid('discovery', '', 'bootstrapToken or file must be set');
  if (token !== undefined && file !== undefined) throw invalid('discovery', '', 'bootstrapToken and file cannot both be set');
  const tls = stringAt(document, 'discovery', 'tlsBootstrapToken') ?? '';
  if (token === undefined) {
    const path = stringAt(file, 'kubeConfigPath') ?? '';
    if (!path.startsWith('https://') && (await readIfThere(path)) === undefined)
      throw invalid('discovery.file.kubeConfigPath', path, 'not a valid HTTPS URL or a file on disk');
    return { discovery: { kind: 'file', path }, tlsBootstrapToken: tls };
  }
  const value = stringAt(token, 'token') ?? '';
  if (!BOOTSTRAP_TOKEN.test(value))
    throw invalid('discovery.bootstrapToken.token', '<redacted>', 'the bootstrap token is invalid');
  const endpoint = stringAt(token, 'apiServerEndpoint') ?? '';
  if (!isHostPort(endpoint) || !endpoint.includes(':')) {
    throw invalid('discovery.bootstrapToken.apiServerEndpoint', endpoint, `address ${endpoint}: missing port in address`);
  }
  const caHashes = textsAt(token, 'caCertHashes');
  const unsafe = at(token, 'unsafeSkipCAVerification') === true;
  if (caHashes.length === 0 && !unsafe) {
    throw invalid(
      'discovery.bootstrapToken.caCertHashes',
      '',
      'using token-based discovery without caCertHashes can be unsafe. Set unsafeSkipCAVerification as true in your kubeadm config file or pass --discovery-token-unsafe-skip-ca-verification flag to continue',
    );
  }
  const badHash = caHashes.find((hash) => !/^sha256:[0-9a-f]{64}$/i.test(hash));
  if (badHash !== undefined)
    throw failure(`invalid public key hash: invalid hash "${badHash}", expected sha256:<hex>`, EXIT.validation);
  return { discovery: { kind: 'token', endpoint, token: value, caHashes, unsafe }, tlsBootstrapToken: tls === '' ? value : tls };
}

async function readControlPlane(document: JsonObject, flags: Flags): Promise<JoinSettings['controlPlane']> {
  const given = at(document, 'controlPlane');
  // The other flags of a control plane are taken without it, and mean nothing.
  if (!isJsonObject(given) && !flags.bool('control-plane')) return undefined;
  const certificateKey = flags.given('certificate-key')
    ? flags.string('certificate-key')
    : (stringAt(given, 'certificateKey') ?? '');
  checkCertificateKey(certificateKey);
  return { local: await readEndpoint(objectAt(given, 'localAPIEndpoint'), flags), certificateKey };
}
