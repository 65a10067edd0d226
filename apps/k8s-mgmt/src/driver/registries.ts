import {
  connectRegistries,
  packagePath,
  paramsSource,
  parseIpv4,
  type ConnectRegistriesInput,
  type PackageFileRef,
  type RegistryInput,
  type RequestCheck,
} from '@windlass/driver-kit';
import { InvariantError } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { sourced, type Given, type GivenInput, type PathTo, type PlanNode } from '@windlass/saga';
import type { ClusterNode } from './nodes.js';
import type { ClusterSteps } from './node-steps.js';
import { clusterParams, type ClusterParams, type RegistryParams, type SecretParams } from './parameters.js';

const FIELD = '/private_registry_connection_info';

const PARAMS = paramsSource<SecretParams>();

/** Larger is no file of CA certificates. */
const MAX_CERTIFICATES = 1024 * 1024;

/** Without TLS: whatever is said of certificates means nothing then. */
const isHttp = ({ connection_type: type }: RegistryParams): boolean => Number(type) === 0;

/** What the schema can't say of `private_registry_connection_info`. */
export function checkRegistries(check: RequestCheck, { private_registry_connection_info: registries = [] }: ClusterParams): void {
  const seen = new Set<string>();
  for (const [at, registry] of registries.entries()) {
    const { server, username, password } = registry;
    const field = `${FIELD}/${at}`;
    const port = Number(server.split(':')[1] ?? 1);
    if (port < 1 || port > 65_535) check.wrong(`${field}/server`, `${server}: a port from 1 to 65535 was expected`);
    if (seen.has(server)) check.wrong(`${field}/server`, `${server} is named twice: one entry a registry was expected`);
    seen.add(server);
    if (username === undefined && password !== undefined)
      check.wrong(`${field}/username`, 'is missing, and password is given: both or neither were expected');
    if (username !== undefined && password === undefined)
      check.wrong(`${field}/password`, 'is missing, and username is given: both or neither were expected');
    checkCertificate(check, field, registry);
    checkHosts(check, field, registry);
  }
}

/** Whether its certificates can be read is seen by the step: only there are they at hand. */
function checkCertificate(check: RequestCheck, field: string, registry: RegistryParams): void {
  const { certificate_path: path, server } = registry;
  if (path === undefined) return;
  const file = check.file(`${field}/certificate_path`, path);
  if (file === undefined) return;
  if (isHttp(registry)) {
    check.warn(`certificate_path of ${server} is passed over: connection_type 0 is HTTP`);
    return;
  }
  if (file.size > MAX_CERTIFICATES)
    check.wrong(
      `${field}/certificate_path`,
      `${file.path} has ${file.size} bytes: CA certificates have at most ${MAX_CERTIFICATES}`,
    );
  const { firstLine } = file;
  if (firstLine.startsWith('-----BEGIN ') && !firstLine.includes('CERTIFICATE'))
    check.wrong(`${field}/certificate_path`, `${file.path} begins with ${firstLine}: CA certificates in PEM were expected`);
  else if (firstLine === '')
    check.wrong(
      `${field}/certificate_path`,
      `${file.path} is no text: CA certificates in PEM were expected (openssl x509 -inform DER makes them of DER)`,
    );
}

function checkHosts(check: RequestCheck, field: string, { hosts_string: text, server }: RegistryParams): void {
  if (text === undefined) return;
  const { address, names } = hostsOf(text);
  if (parseIpv4(address) === undefined)
    check.wrong(`${field}/hosts_string`, `${address} is no IPv4 address: "<address> <name>" was expected`);
  const [host = ''] = server.split(':');
  if (!names.includes(host)) check.warn(`hosts_string of ${server} names ${names.join(', ')}, and not ${host}`);
}

const hostsOf = (text: string): { address: string; names: string[] } => {
  const [address = '', ...names] = text.trim().split(/[ \t]+/);
  return { address, names };
};

/** What is reached without a proxy: a name that only the nodes' /etc/hosts has is nothing to a proxy. */
export const withoutProxy = ({ private_registry_connection_info: registries = [] }: ClusterParams): string[] =>
  registries.flatMap(({ hosts_string: text }) => {
    if (text === undefined) return [];
    const { address, names } = hostsOf(text);
    return [...names, address];
  });

/** What a node goes through to know the request's registries; nothing where the request names none. */
export function connected(steps: ClusterSteps, node: ClusterNode): PlanNode[] {
  const { hook } = steps;
  const { private_registry_connection_info: registries = [] } = clusterParams(hook.instantiateParams);
  if (registries.length === 0) return [];
  const input: GivenInput<ConnectRegistriesInput> = {
    ...steps.onMachine(node),
    registries: registries.map((registry, at) => registryOf(hook, registry, at)),
  };
  // What it makes goes with the VM.
  return [steps.step(connectRegistries, node, input, { undoable: false })];
}

/** The password is put in when the step is claimed. */
function registryOf(hook: HookContext, registry: RegistryParams, at: number): Given<RegistryInput> {
  const { server, username, password, certificate_path: path, hosts_string: hosts } = registry;
  const secret = sourced(PARAMS, ({ k8s_cluster_installation_param: of }) => passwordAt(of.private_registry_connection_info, at));
  return {
    server,
    scheme: isHttp(registry) ? 'http' : 'https',
    ...(username === undefined || password === undefined ? {} : { username, password: secret }),
    ...(path === undefined || isHttp(registry) ? {} : { certificate: certificateOf(hook, path) }),
    ...(hosts === undefined ? {} : { hosts: hostsOf(hosts) }),
  };
}

// eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- a place in what is not there yet, of a list whose length the hook knows
const passwordAt = (registries: PathTo<RegistryParams[]>, at: number) => registries[at]!.password;

function certificateOf({ files, vnfPkgId }: HookContext, path: string): PackageFileRef {
  const file = files.find((each) => each.path === packagePath(path));
  if (file === undefined) throw new InvariantError(`the package has no ${path}, which was there when the request came`);
  return { vnfPkgId, path: file.path, size: file.size, sha256: file.sha256 };
}
