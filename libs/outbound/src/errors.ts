import { TerminalError, TransientError, type TimeLimit } from '@windlass/foundation';

/** Code of the error that ends a connection to an address that the rules refuse. */
export const ADDRESS_REFUSED = 'ERR_ADDRESS_REFUSED';
/** Code of the error that ends a connection which was not up in time. */
export const CONNECT_TIMEOUT = 'ERR_CONNECT_TIMEOUT';

/** Code of the error of a proxy that answered otherwise than with a connection; the error has its `status`. */
export const PROXY_REFUSED = 'ERR_PROXY_REFUSED';

/** What OpenSSL and Node say of a certificate that they won't trust. */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT_ALTNAME_INVALID|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)/;

/** Why it was not sent, in words that tell a stranger nothing of our network: neither what a name resolves to nor who listens there. */
const UNREACHABLE: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'the host is not reached',
  ENETUNREACH: 'the network is not reached',
  EADDRNOTAVAIL: 'the address can not be used',
  ETIMEDOUT: 'no connection in time',
  [CONNECT_TIMEOUT]: 'no connection in time',
};

/** What an address may be called in a message: without user part, query and fragment. */
export function addressOf(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** The refusal of an address, as subscribers and logs see it. The address itself is not in it: it may have come from our DNS. */
export const refusedAddress = (url: URL): TerminalError =>
  new TerminalError(
    'outbound.address-refused',
    `${url.host} is not where this VNFM may connect to: name another host, or let its operator allow the address (OUTBOUND_ALLOW)`,
  );

/**
 * An error of the network. Nothing of the request but its address goes with it: the client's own error object carries headers and body.
 * - `outbound.address-refused` (terminal): the rules refuse where it would have gone.
 * - `outbound.unreachable` (transient): it was not sent. `outbound.connection-lost` (transient): it may have been carried out.
 * - `outbound.proxy-refused` (terminal; transient where the proxy says it is its own trouble): the proxy made no connection.
 * - `outbound.tls-untrusted`, `outbound.tls-failed` (terminal).
 */
export function networkError(error: unknown, url: URL): TransientError | TerminalError {
  const code = codeOf(error);
  const to = addressOf(url);
  const known = UNREACHABLE[code];
  if (code === ADDRESS_REFUSED) return refusedAddress(url);
  if (code === PROXY_REFUSED) return proxyError(error, to);
  if (known !== undefined) return new TransientError('outbound.unreachable', `${to} could not be reached: ${known}`);
  if (UNTRUSTED.test(code))
    return new TerminalError('outbound.tls-untrusted', `${to}: the certificate is not trusted (${code}); give its CA`);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_'))
    return new TerminalError('outbound.tls-failed', `${to}: no TLS with that address (${code})`);
  return new TransientError('outbound.connection-lost', `${to}: the connection was lost${code === '' ? '' : ` (${code})`}`);
}

/** What the proxy answered instead of connecting. A stranger is told that it was the proxy, and not which. */
function proxyError(error: unknown, to: string): TransientError | TerminalError {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 0;
  const said = `${to} could not be reached: the proxy of this VNFM made no connection (it answered ${status})`;
  if (status === 407)
    return new TerminalError(
      'outbound.proxy-refused',
      `${said}; its operator has to look at user and password in OUTBOUND_PROXY (of the NFVO: NFVO_PROXY)`,
    );
  if (status >= 500) return new TransientError('outbound.proxy-refused', said);
  return new TerminalError(
    'outbound.proxy-refused',
    `${said}; its operator has to let the proxy connect there, or name the host in OUTBOUND_NO_PROXY`,
  );
}

/** The code of an error or of what caused it; of several attempts to connect (`AggregateError`) that of the first. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}

/** @throws TerminalError `outbound.bad-url` */
export function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw new TerminalError('outbound.bad-url', 'expected an http or https URL without user part');
  return url;
}

/** What was thrown, as this library's errors. The caller's own abort stays what it is. */
export function known(
  error: unknown,
  url: URL,
  limit: TimeLimit,
  { signal }: { readonly signal?: AbortSignal | undefined },
): Error {
  if (error instanceof TerminalError || error instanceof TransientError) return error;
  if (limit.expired) {
    return new TransientError('outbound.timeout', `${addressOf(url)} had not answered completely when the time was up`);
  }
  if (signal?.aborted === true) return signal.reason instanceof Error ? signal.reason : new Error('aborted');
  return networkError(error, url);
}
