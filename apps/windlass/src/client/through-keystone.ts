import { RequestError, type Secret } from '@windlass/foundation';
import { catalogUrl, OpenStack, type EndpointInterface, type NameOrId, type VimConnection } from '@windlass/openstack';
import { HttpProxy, isOutboundRule, isProxyUrl } from '@windlass/outbound';
import { readFile } from 'node:fs/promises';
import type { OpenStackEnvironment } from '../surroundings/config.js';

/** As what the catalog of Keystone names a VNF manager, and OpenStack's own client looks for it. */
const SERVICE_TYPE = 'nfv-orchestration';

/** The REST API that a catalog names, and who asks. */
export interface FoundApi {
  url: string;
  token: Secret;
  /** PEM text of the authorities that are trusted; the machine's own without it. */
  ca?: string;
}

/**
 * Logs in at Keystone as the `OS_*` variables say, and finds the REST API in its catalog.
 * @throws RequestError for a variable that is missing or says what is not known
 * @throws TerminalError `openstack.unauthorized`, `openstack.no-endpoint`; TransientError where Keystone does not answer
 */
export async function throughKeystone(environment: OpenStackEnvironment): Promise<FoundApi> {
  const connection = await connectionIn(environment);
  const openStack = OpenStack.open(connection);
  try {
    const { id, catalog } = await openStack.session.token();
    const at = { interface: connection.interface ?? 'public', region: connection.region };
    const { ca } = connection.tls ?? {};
    return { url: catalogUrl(catalog, [SERVICE_TYPE], SERVICE_TYPE, at), token: id, ...(ca === undefined ? {} : { ca }) };
  } finally {
    openStack.close();
  }
}

/** The OpenStack that the `OS_*` variables mean. @throws RequestError for a variable that is missing or says what is not known */
export async function connectionIn({ variables, password, proxy }: OpenStackEnvironment): Promise<VimConnection> {
  const { OS_AUTH_URL, OS_USERNAME, OS_REGION_NAME: region, OS_CACERT } = variables;
  const project = named(variables, 'PROJECT') ?? variables.OS_TENANT_NAME;
  return {
    authUrl: needed('OS_AUTH_URL', OS_AUTH_URL),
    credentials: {
      kind: 'password',
      username: needed('OS_USERNAME', OS_USERNAME),
      password: needed('OS_PASSWORD', password),
      project: needed('OS_PROJECT_NAME', project),
      userDomain: domain(variables, 'USER_DOMAIN'),
      projectDomain: domain(variables, 'PROJECT_DOMAIN'),
    },
    ...(region === undefined ? {} : { region }),
    interface: interfaceOf(variables),
    ...(proxy === undefined ? {} : { proxy: proxyOf(proxy) }),
    tls: OS_CACERT === undefined ? {} : { ca: await readFile(OS_CACERT, 'utf8') },
  };
}

/** @throws RequestError for what is no URL of a proxy, or no list of hosts */
function proxyOf({ url, except }: NonNullable<OpenStackEnvironment['proxy']>): HttpProxy {
  if (!isProxyUrl(url.reveal()))
    throw new RequestError(400, 'cli.proxy', 'VIM_PROXY is no URL such as http://user:password@proxy.example.com:3128');
  const entries = except === '' ? [] : except.split(',').map((entry) => entry.trim());
  const wrong = entries.find((entry) => !isOutboundRule(entry, 'with hosts'));
  if (wrong === undefined) return new HttpProxy(url, entries);
  throw new RequestError(400, 'cli.proxy', `VIM_NO_PROXY: "${wrong}" is no host name, address or CIDR`);
}

/** `OS_<what>_ID`, or else `OS_<what>_NAME`. */
function named(variables: OpenStackEnvironment['variables'], what: string): NameOrId | undefined {
  const id = variables[`OS_${what}_ID`];
  return id === undefined ? variables[`OS_${what}_NAME`] : { id };
}

/** `Default` is the name of the domain that every Keystone begins with. */
const domain = (variables: OpenStackEnvironment['variables'], what: string): NameOrId =>
  named(variables, what) ?? (variables.OS_DEFAULT_DOMAIN === undefined ? 'Default' : { id: variables.OS_DEFAULT_DOMAIN });

function needed<T>(name: string, value: T | undefined): T {
  if (value !== undefined) return value;
  throw new RequestError(
    400,
    'cli.openstack',
    `OS_AUTH_URL is set, and ${name} is not: set it, or name a Windlass with --data or --url`,
  );
}

function interfaceOf({ OS_INTERFACE, OS_ENDPOINT_TYPE }: OpenStackEnvironment['variables']): EndpointInterface {
  const given = (OS_INTERFACE ?? OS_ENDPOINT_TYPE ?? 'public').replace(/URL$/, '');
  if (given === 'public' || given === 'internal' || given === 'admin') return given;
  throw new RequestError(400, 'cli.openstack', `OS_INTERFACE is "${given}"; expected public, internal or admin`);
}
