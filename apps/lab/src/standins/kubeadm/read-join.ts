import { isJsonObject, minutes, type JsonObject } from '@windlass/foundation';
import type { Flags } from '../cli/flags.js';
import { BOOTSTRAP_TOKEN } from '../kube/names.js';
import { at, objectAt, stringAt } from '../kube/object.js';
import { EXIT, failure } from './output.js';
import { durationAt, isHostPort, textsAt } from './read-configuration.js';
import { checkCertificateKey, documentsOf, readEndpoint, readNode } from './read-init.js';
import type { JoinSettings } from './settings.js';

/** What `kubeadm join` is asked to do, by flags or by file. @throws ExitError */
export async function readJoin(flags: Flags): Promise<JoinSettings> {
  const documents = await documentsOf(flags);
  const join = documents.get('JoinConfiguration');
  if (flags.given('config') && join === undefined) throw failure('no JoinConfiguration found in config file');
  if (flags.positional.length > 1) throw failure(`accepts at most 1 arg(s), received ${flags.positional.length}`);
  const document = join ?? documentFromFlags(flags);
  if (at(document, 'dryRun') === true || flags.bool('dry-run')) throw failure('dry-run: not in the windlass-lab stand-in');
  if (at(document, 'patches') !== undefined || flags.given('patches')) throw failure('patches: not in the windlass-lab stand-in');
  const { discovery, tlsBootstrapToken } = readDiscovery(document);
  return {
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
  if (flags.given('certificate-key') && !flags.bool('control-plane')) {
    throw failure('the --certificate-key flag is valid with --control-plane only', EXIT.validation);
  }
  return {
    discovery: {
      ...(flags.given('discovery-file') ? { file: { kubeConfigPath: flags.string('discovery-file') } } : {}),
      ...(useToken && !flags.given('discovery-file') ? { bootstrapToken } : {}),
      tlsBootstrapToken: flags.given('tls-bootstrap-token') ? flags.string('tls-bootstrap-token') : token,
    },
  };
}

function readDiscovery(document: JsonObject): Pick<JoinSettings, 'discovery' | 'tlsBootstrapToken'> {
  const token = objectAt(document, 'discovery', 'bootstrapToken');
  const file = objectAt(document, 'discovery', 'file');
  const invalid = (field: string, value: string, why: string): Error =>
    failure(`${field}: Invalid value: "${value}": ${why}`, EXIT.validation);
  if (token === undefined && file === undefined) throw invalid('discovery', '', 'bootstrapToken or file must be set');
  if (token !== undefined && file !== undefined) throw invalid('discovery', '', 'bootstrapToken and file cannot both be set');
  const tls = stringAt(document, 'discovery', 'tlsBootstrapToken') ?? '';
  if (token === undefined) {
    const path = stringAt(file, 'kubeConfigPath') ?? '';
    if (path === '') throw invalid('discovery.file.kubeConfigPath', '', 'not a valid HTTPS URL or a file on disk');
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
  if (!isJsonObject(given) && !flags.bool('control-plane')) {
    const only = ['apiserver-advertise-address', 'apiserver-bind-port'].find((name) => flags.given(name));
    if (only !== undefined) throw failure(`--${only} is valid with --control-plane only`, EXIT.validation);
    return undefined;
  }
  const certificateKey = flags.given('certificate-key')
    ? flags.string('certificate-key')
    : (stringAt(given, 'certificateKey') ?? '');
  checkCertificateKey(certificateKey);
  return { local: await readEndpoint(objectAt(given, 'localAPIEndpoint'), flags), certificateKey };
}
