import { RequestError, Secret, TransientError, WindlassError, type JsonObject } from '@windlass/foundation';
import type { VimRegistration } from '@windlass/messaging';
import { OpenStack, type VimConnection } from '@windlass/openstack';
import type { AddressRules } from '@windlass/outbound';
import { askKubernetes, textIn } from './kubernetes-api.js';

/** Tries a VIM's credentials the way they will be used. */
export class VimChecks {
  constructor(private readonly rules: AddressRules | undefined) {}

  /**
   * @param what would have been done with it, for the message
   * @returns its regions; of a Kubernetes cluster, its namespaces. @throws RequestError 400 when it can't be reached or refuses
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

async function openStackRegions(vim: VimRegistration, rules: AddressRules | undefined): Promise<string[]> {
  const openStack = OpenStack.open(connectionOf(vim), rules === undefined ? {} : { rules });
  try {
    return await openStack.identity.regions();
  } finally {
    openStack.close();
  }
}

function connectionOf({ auth_url: authUrl, auth_cred: credentials, vim_project: project = {} }: VimRegistration): VimConnection {
  const username = required(credentials.username, '/vim/auth_cred/username');
  return {
    authUrl,
    credentials: {
      kind: 'password',
      username,
      password: new Secret(required(credentials.password, '/vim/auth_cred/password')),
      userDomain: textIn(credentials.user_domain_name) ?? 'Default',
      project: required(project.name, '/vim/vim_project/name'),
      projectDomain: textIn(project.project_domain_name) ?? 'Default',
    },
    tls: {
      verify: !['false', 'False', false].includes(credentials.cert_verify as string | boolean),
      ...caOf(credentials.ca_cert),
    },
  };
}

const caOf = (value: JsonObject[string] | undefined): { ca?: string } =>
  textIn(value) === undefined ? {} : { ca: value as string };

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
  if (found === undefined)
    throw new RequestError(400, 'vim.invalid', `${path}: expected a text`, {
      invalidParams: [{ path, reason: 'expected a text' }],
    });
  return found;
}
