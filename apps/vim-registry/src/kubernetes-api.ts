import { RequestError, seconds, TransientError, type Duration, type JsonObject, type WindlassError } from '@windlass/foundation';
import { ADDRESS_REFUSED, checkedAgents, observedClusterRequest, type AddressRules } from '@windlass/outbound';
import axios from 'axios';

/** The most of an answer that is read. */
const MOST_BYTES = 4 * 1024 * 1024;

/** A cluster's API, and what it knows us by. */
export interface KubernetesAccess {
  url: string;
  token: string;
  /** PEM; the system's CAs unless given. */
  ca: string | undefined;
}

/** How a look at a cluster goes. */
export interface KubernetesLook {
  /** From the root of the API on, with its query. */
  path: string;
  /** What is looked at, for messages: `namespaces`. */
  what: string;
  /** How long it may take as a whole; 15 s unless given. */
  within?: Duration;
}

/**
 * One look at a cluster's API.
 * @param rules where it may connect to; without them anywhere
 * @throws TransientError `kubernetes.unreachable`; RequestError 400 `vim.refused`, `vim.address-refused`. No message holds anything of the credentials
 */
export async function askKubernetes<T>(
  { url, token, ca }: KubernetesAccess,
  { path, what, within = seconds(15) }: KubernetesLook,
  rules: AddressRules | undefined,
): Promise<T> {
  const agents = checkedAgents({ rules, connectWithin: within }, ca === undefined ? {} : { ca });
  const asked = new URL(path, url);
  try {
    const { data } = await observedClusterRequest({ method: 'GET', url: asked }, () =>
      axios.get<T>(asked.href, {
        headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
        ...agents,
        proxy: false,
        timeout: Math.min(within, seconds(10)),
        signal: AbortSignal.timeout(within),
        maxContentLength: MOST_BYTES,
        maxRedirects: 0,
      }),
    );
    return data;
  } catch (error) {
    throw translated(error, what, new URL(url).host);
  } finally {
    agents.httpAgent.destroy();
    agents.httpsAgent.destroy();
  }
}

/** Translates an error. Nothing of the request is repeated, because axios' own error carries the token. */
function translated(error: unknown, what: string, host: string): WindlassError {
  if (!axios.isAxiosError(error)) throw error;
  const { response, code } = error;
  if (code === ADDRESS_REFUSED)
    return new RequestError(
      400,
      'vim.address-refused',
      `${host} is not where this VNFM may connect to for a VIM; its operator can allow the address (VIM_ALLOW)`,
    );
  if (response === undefined)
    return new TransientError('kubernetes.unreachable', `its API does not answer (${code ?? 'no reason given'})`);
  const reason =
    response.status === 401
      ? 'the bearer token is not valid there'
      : response.status === 403
        ? `the bearer token may not list ${what}`
        : `its API answers ${response.status}`;
  return new RequestError(400, 'vim.refused', reason);
}

/** A value of credentials that is a text with something in it. */
export const textIn = (value: JsonObject[string] | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
