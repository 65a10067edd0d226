import { Secret } from '@windlass/foundation';

/** A token of HTTP (RFC 9110 5.6.2), then what fits into a header. */
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,128})=([\x20-\x7e]{1,4096})$/;

/** `name=value` pairs as OpenTelemetry's specification has them: separated by commas, values percent-encoded. Undefined where it is none. */
export function otlpHeadersOf(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const [, name, value] = HEADER.exec(pair.trim()) ?? [];
    const decoded = value === undefined ? undefined : decodedOrNone(value);
    if (name === undefined || decoded === undefined) return undefined;
    headers[name.toLowerCase()] = decoded;
  }
  return headers;
}

/** For a configuration: the text as it came, where it can be read. */
export const asOtlpHeaders = (text: string): Secret | undefined =>
  otlpHeadersOf(text) === undefined ? undefined : new Secret(text);

/** Where a collector may be: no credentials, no query. */
export function asOtlpEndpoint(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, username, password, search, hash } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && `${username}${password}${search}${hash}` === '' ? text : undefined;
}

function decodedOrNone(value: string): string | undefined {
  try {
    const decoded = decodeURIComponent(value);
    return /^[\x20-\x7e]+$/.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}
