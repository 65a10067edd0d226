import { RequestError, seconds, Secret, TransientError, WindlassError, type JsonObject } from '@windlass/foundation';
import type { VimRegistration } from '@windlass/messaging';
import { OpenStack } from '@windlass/openstack';
import axios from 'axios';
import { Agent } from 'node:https';

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Tries a VIM's credentials the way they will be used. */
export class VimChecks {
  /**
   * @param what would have been done with it, for the message
   * @returns its regions; of a Kubernetes cluster, its namespaces. @throws RequestError 400 when it can't be reached or refuses
   */
  async check(vim: VimRegistration, what: 'registered' | 'changed'): Promise<string[]> {
    try {
      return vim.type === 'openstack' ? await openStackRegions(vim) : await kubernetesNamespaces(vim);
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

async function openStackRegions({
  auth_url: authUrl,
  auth_cred: credentials,
  vim_project: project = {},
}: VimRegistration): Promise<string[]> {
  const username = required(credentials.username, '/vim/auth_cred/username');
  const openStack = OpenStack.open({
    authUrl,
    credentials: {
      kind: 'password',
      username,
      password: new Secret(required(credentials.password, '/vim/auth_cred/password')),
      userDomain: text(credentials.user_domain_name) ?? 'Default',
      project: required(project.name, '/vim/vim_project/name'),
      projectDomain: text(project.project_domain_name) ?? 'Default',
    },
    tls: {
      verify: !['false', 'False', false].includes(credentials.cert_verify as string | boolean),
      ...caOf(credentials.ca_cert),
    },
  });
  try {
    return await openStack.identity.regions();
  } finally {
    openStack.close();
  }
}

const caOf = (value: unknown): { ca?: string } => (text(value) === undefined ? {} : { ca: value as string });

/** The cluster answers with its version and namespaces to this bearer token, and its certificate is signed by this CA. */
async function kubernetesNamespaces({ auth_url: url, auth_cred: credentials }: VimRegistration): Promise<string[]> {
  const token = required(credentials.bearer_token, '/vim/auth_cred/bearer_token');
  const ca = text(credentials.ssl_ca_cert);
  const httpsAgent = new Agent({ ...(ca === undefined ? {} : { ca }), keepAlive: false });
  try {
    const { data } = await axios.get<{ items?: { metadata?: { name?: string } }[] }>(new URL('/api/v1/namespaces', url).href, {
      headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
      httpsAgent,
      proxy: false,
      timeout: seconds(10),
      signal: AbortSignal.timeout(seconds(15)),
      maxContentLength: 4 * 1024 * 1024,
      maxRedirects: 0,
    });
    return (data.items ?? []).flatMap(({ metadata }) => (metadata?.name === undefined ? [] : [metadata.name]));
  } catch (error) {
    throw translated(error);
  } finally {
    httpsAgent.destroy();
  }
}

/** Nothing of the request is repeated: axios' own error carries the token. */
function translated(error: unknown): WindlassError {
  if (!axios.isAxiosError(error)) throw error;
  const { response, code } = error;
  if (response === undefined)
    return new TransientError('kubernetes.unreachable', `its API does not answer (${code ?? 'no reason given'})`);
  const reason =
    response.status === 401
      ? 'the bearer token is not valid there'
      : response.status === 403
        ? 'the bearer token may not list namespaces'
        : `its API answers ${response.status}`;
  return new RequestError(400, 'vim.refused', reason);
}

function required(value: JsonObject[string] | undefined, path: string): string {
  const found = text(value);
  if (found === undefined)
    throw new RequestError(400, 'vim.invalid', `${path}: expected a text`, {
      invalidParams: [{ path, reason: 'expected a text' }],
    });
  return found;
}
