import { RequestError, TransientError, WindlassError, type JsonObject } from '@windlass/foundation';
import type { VimRegistration } from '@windlass/messaging';
import { OpenStack, type CatalogEndpoint } from '@windlass/openstack';
import type { AddressRules } from '@windlass/outbound';
import { openStackAccessBy } from '@windlass/persistence';
import { absentRegion, connectionOf } from './connection-of.js';
import { askKubernetes, textIn } from './kubernetes-api.js';

/** Tries a VIM's credentials the way they will be used. */
export class CredentialChecks {
  constructor(private readonly rules: AddressRules | undefined) {}

  /**
   * @param what what the caller wanted to do with the VIM, for the message
   * @returns its regions; of a Kubernetes cluster, its namespaces. @throws RequestError 400 when the VIM can't be reached or refuses
   */
  async check(vim: VimRegistration, what: 'registered' | 'changed'): Promise<string[]> {
    try {
      return vim.type === 'openstack' ? await openStackRegions(vim, this.rules) : await kubernetesNamespaces(vim, this.rules);
    } catch (error) {
      if (error instanceof RequestError) throw error;
      const reason = error instanceof WindlassError ? error.message : 'it could not be reached';
      const status = error instanceof TransientError ? 'unreachable' : 'refused';
      throw new RequestError(400, `vim.${status}`, `VIM ${vim.name} at ${vim.auth_url} was not ${what}: ${reason}`, {
        cause: error,
      });
    }
  }
}

/** Logs in, and checks the registered members that the login does not use: nothing that is given is ignored. */
async function openStackRegions(vim: VimRegistration, rules: AddressRules | undefined): Promise<string[]> {
  const access = accessOf(vim);
  const openStack = OpenStack.open(connectionOf(access), rules === undefined ? {} : { rules });
  try {
    const { catalog, projectName } = await openStack.session.token();
    if (access.projectId !== undefined && access.projectName !== '' && access.projectName !== projectName)
      throw wrong(
        '/vim/vim_project/name',
        `the project ${access.projectId} is called "${projectName ?? ''}" and not "${access.projectName}": give its own name, or the id alone`,
      );
    const regions = await openStack.identity.regions();
    checkRegion(access.region, catalog);
    return regions;
  } finally {
    openStack.close();
  }
}

type Access = Parameters<typeof connectionOf>[0];

function accessOf({ auth_url: authUrl, auth_cred: credentials, vim_project: vimProject = {} }: VimRegistration): Access {
  required(credentials.username, '/vim/auth_cred/username');
  required(credentials.password, '/vim/auth_cred/password');
  // Not yet known: which regions there are.
  const access = openStackAccessBy({ authUrl, placementAttr: { regions: [] }, vimProject }, credentials);
  if (access.projectId === undefined) required(vimProject.name, '/vim/vim_project/name');
  return { connectionId: '', ...access };
}

/** @throws RequestError 400 for a region in which the catalog has nothing */
function checkRegion(region: string | undefined, catalog: readonly CatalogEndpoint[]): void {
  const reason = absentRegion(region, catalog);
  if (reason !== undefined) throw wrong('/vim/auth_cred/region', reason);
}

const wrong = (path: string, reason: string): RequestError =>
  new RequestError(400, 'vim.invalid', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });

/** The cluster answers with its namespaces to this bearer token, and its certificate is signed by this CA. */
async function kubernetesNamespaces(
  { auth_url: url, auth_cred: credentials }: VimRegistration,
  rules: AddressRules | undefined,
): Promise<string[]> {
  const token = required(credentials.bearer_token, '/vim/auth_cred/bearer_token');
  const access = { url, token, ca: textIn(credentials.ssl_ca_cert) };
  const look = { path: '/api/v1/namespaces', what: 'namespaces' };
  const { items = [] } = await askKubernetes<{ items?: { metadata?: { name?: string } }[] }>(access, look, rules);
  return items.flatMap(({ metadata }) => (metadata?.name === undefined ? [] : [metadata.name]));
}

function required(value: JsonObject[string] | undefined, path: string): string {
  const found = textIn(value);
  if (found === undefined) throw wrong(path, 'expected a text');
  return found;
}
