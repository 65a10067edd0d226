import { paramsAs, parseIpv4, RequestCheck } from '@windlass/driver-kit';
import type { HookContext, ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { clusterParams, PARAM, type ClusterParams, type RegistryParams } from './parameters.js';

const FIELD = '/private_registry_connection_info';

type WithRegistries = Pick<ClusterParams, 'private_registry_connection_info'>;

/** The largest file of CA certificates that is accepted, in bytes. */
const MAX_CERTIFICATES = 1024 * 1024;

/** Whether the registry is reached without TLS; its certificate settings are then ignored. */
export const isHttp = ({ connection_type: type }: RegistryParams): boolean => Number(type) === 0;

/** What the schema can't say of `private_registry_connection_info`. */
export function checkRegistries(
  check: RequestCheck,
  { private_registry_connection_info: registries = [] }: WithRegistries,
): void {
  const seen = new Set<string>();
  const hosts = new Map<string, RegistryParams>();
  for (const [at, registry] of registries.entries()) {
    const { server, username, password } = registry;
    const field = `${FIELD}/${at}`;
    const { host, project } = placeOf(server);
    const port = Number(host.split(':')[1] ?? 1);
    if (port < 1 || port > 65_535) check.wrong(`${field}/server`, `${server}: a port from 1 to 65535 was expected`);
    if (seen.has(server))
      check.wrong(`${field}/server`, `${server} is named twice: one entry a registry, or a project of it, was expected`);
    seen.add(server);
    if (project !== undefined && username === undefined)
      check.wrong(
        `${field}/server`,
        `${server} is a project of ${host}, and only a login is a project's own: name ${host}, or give a username`,
      );
    const first = hosts.get(host) ?? registry;
    hosts.set(host, first);
    for (const name of project === undefined && first.server === server ? [] : OF_THE_HOST)
      if (String(registry[name] ?? '') !== String(first[name] ?? ''))
        check.wrong(
          `${field}/${name}`,
          `is another than that of ${first.server}, and both are of the host ${host}: one host has one`,
        );
    if (username === undefined && password !== undefined)
      check.wrong(`${field}/username`, 'is missing, and password is given: both or neither were expected');
    if (username !== undefined && password === undefined)
      check.wrong(`${field}/password`, 'is missing, and username is given: both or neither were expected');
    checkCertificate(check, field, registry);
    checkHosts(check, field, registry);
  }
}

/** Entries of the same host must agree on these, whatever their projects. */
const OF_THE_HOST = ['connection_type', 'certificate_path', 'hosts_string'] as const;

/** Host and port, and the beginning of the path of images that a login is for. */
export function placeOf(server: string): { host: string; project: string | undefined } {
  const at = server.indexOf('/');
  return at === -1 ? { host: server, project: undefined } : { host: server.slice(0, at), project: server.slice(at + 1) };
}

/**
 * A check of an operation on a cluster, and of the registries that its request gives in place of the instantiation's.
 * @param check of the rest of the request
 */
export const withRegistries =
  (check: (request: ValidateRequest) => ValidateReply) =>
  (request: ValidateRequest): ValidateReply => {
    const reply = check(request);
    const given = paramsAs<{ [PARAM]?: WithRegistries }>(request.requestParams)[PARAM];
    if (given?.private_registry_connection_info === undefined) return reply;
    const found = new RequestCheck(request, PARAM);
    checkRegistries(found, given);
    found.warn(
      'private_registry_connection_info counts for this operation: all nodes of the cluster are told of it, and those that come by a later one of the instantiation’s, unless that gives it again',
    );
    const { invalidParams, warnings } = found.reply();
    return { ...reply, invalidParams: [...reply.invalidParams, ...invalidParams], warnings: [...reply.warnings, ...warnings] };
  };

/** The step finds out whether the certificates can be read: the file's content is at hand only there. */
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
  const [host = ''] = placeOf(server).host.split(':');
  if (!names.includes(host)) check.warn(`hosts_string of ${server} names ${names.join(', ')}, and not ${host}`);
}

export const hostsOf = (text: string): { address: string; names: string[] } => {
  const [address = '', ...names] = text.trim().split(/[ \t]+/);
  return { address, names };
};

/**
 * The registries that nodes reach without a proxy: those given by an address, and those whose names stand in the nodes' /etc/hosts, which a proxy
 * does not know. A name that DNS resolves may be on the internet, and is reached through the proxy.
 */
export const withoutProxy = ({ private_registry_connection_info: registries = [] }: WithRegistries): string[] =>
  registries.flatMap(({ server, hosts_string: text }) => {
    const [own = ''] = placeOf(server).host.split(':');
    const addresses = parseIpv4(own) === undefined ? [] : [own];
    if (text === undefined) return addresses;
    const { address, names } = hostsOf(text);
    return [...addresses, ...names, address];
  });

/** What an operation on a cluster that is there gives of registries in place of the instantiation's; undefined where it says nothing of them. */
export function requestedRegistries({ hook, requestParams }: HookContext): RegistryParams[] | undefined {
  if (!/^(scale|heal)/.test(hook)) return undefined;
  return paramsAs<{ [PARAM]?: WithRegistries }>(requestParams)[PARAM]?.private_registry_connection_info;
}

/**
 * The instantiation's parameters with all registries that nodes reach in the operation. The earlier registries are kept, for nodes that stay may know
 * them.
 */
export function withRequestedRegistries(hook: HookContext): ClusterParams {
  const params = clusterParams(hook.instantiateParams);
  const requested = requestedRegistries(hook);
  if (requested === undefined) return params;
  return { ...params, private_registry_connection_info: [...(params.private_registry_connection_info ?? []), ...requested] };
}
