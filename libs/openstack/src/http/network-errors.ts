import { TerminalError, TransientError, maskSecrets, maskUrlUser, type Secret } from '@windlass/foundation';
import { ADDRESS_REFUSED, CONNECT_TIMEOUT, PROXY_REFUSED } from '@windlass/outbound';

/** The request can't have reached the service. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  CONNECT_TIMEOUT,
]);

/** What OpenSSL and Node say of a certificate that they won't trust. */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT_ALTNAME_INVALID|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)/;

/** What was asked for, without query and user part: fit for a message. */
export interface Asked {
  method: string;
  url: string;
  secrets: readonly Secret[];
  /** The proxy that it goes by, without its user part. */
  via?: string | undefined;
}

/** `GET http://127.0.0.1:8004/v1/stacks` */
export const describeAsked = ({ method, url }: Asked): string => `${method} ${maskUrlUser(url.split('?', 1)[0] ?? url)}`;

/**
 * An error of the network as the engine understands it. Nothing of the request but method and address goes with it:
 * the client's own error object carries headers and body, and so the password.
 * - `openstack.unreachable` (transient): it was not sent.
 * - `openstack.connection-lost` (transient): it may have been carried out.
 * - `openstack.address-refused` (terminal): the rules refuse where it would have gone; what a name resolved to is not told.
 * - `openstack.proxy-refused` (terminal; transient where the proxy says it is its own trouble): the proxy made no connection.
 * - `openstack.tls-untrusted`, `openstack.tls-failed`, `openstack.answer-too-large`: terminal.
 */
export function networkError(error: unknown, asked: Asked): TransientError | TerminalError {
  const { code, message } = shortOf(error);
  const text = maskSecrets(message, asked.secrets);
  const cause = new Error(code === '' ? text : `${code}: ${text}`);
  const what = `${describeAsked(asked)}${asked.via === undefined ? '' : ` through the proxy ${asked.via}`}`;
  if (code === PROXY_REFUSED) return proxyError(error, what);
  if (code === ADDRESS_REFUSED) {
    const { host } = new URL(asked.url);
    return new TerminalError(
      'openstack.address-refused',
      `${what} was not sent: ${host} is not where this VNFM may connect to for a VIM; its operator can allow the address (VIM_ALLOW)`,
    );
  }
  if (NEVER_SENT.has(code)) {
    return new TransientError('openstack.unreachable', `${what} could not be sent: ${text}${nameAdvice(code, asked)}`, { cause });
  }
  if (UNTRUSTED.test(code)) {
    return new TerminalError(
      'openstack.tls-untrusted',
      `${what}: the certificate is not trusted (${code}: ${text}); give the VIM's CA certificate, or a URL with the name in its certificate`,
      { cause },
    );
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    return new TerminalError('openstack.tls-failed', `${what}: no TLS with that address (${code}); is it http?`, { cause });
  }
  if (message.includes('maxContentLength')) {
    return new TerminalError('openstack.answer-too-large', `${what}: the answer is larger than allowed (${text})`, { cause });
  }
  return new TransientError('openstack.connection-lost', `${what} was sent, but the connection was lost: ${text}`, { cause });
}

/** A name that only the proxy may know. */
const nameAdvice = (code: string, { via, url }: Asked): string =>
  via !== undefined && ['ENOTFOUND', 'EAI_AGAIN'].includes(code)
    ? `; where the proxy alone knows ${new URL(url).hostname}, its operator names it in VIM_ONLY`
    : '';

function proxyError(error: unknown, what: string): TransientError | TerminalError {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 0;
  const code = 'openstack.proxy-refused';
  if (status === 407)
    return new TerminalError(code, `${what}: the proxy wants another login (407): look at user and password in VIM_PROXY`);
  const said = `${what}: the proxy made no connection (it answered ${status})`;
  // 500 and above are the proxy's trouble, or that of the way from there.
  if (status >= 500) return new TransientError(code, said);
  return new TerminalError(code, `${said}: have it allow the host and port, or name the host in VIM_NO_PROXY`);
}

function shortOf(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const first = error.message.split('\n', 1)[0] ?? '';
  return { code, message: first === '' ? code || error.name : first };
}
