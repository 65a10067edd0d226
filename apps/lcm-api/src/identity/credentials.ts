import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What a request shows of who sends it. */
export type Credentials =
  | { kind: 'x-auth-token' | 'bearer'; token: string }
  | { kind: 'basic'; user: string; password: string }
  /** An `Authorization` header that nothing here can read. */
  | { kind: 'unreadable' };

/** The credentials of a request; `X-Auth-Token` goes before `Authorization`. Undefined where it shows none. */
export function credentialsIn(headers: IncomingHttpHeaders): Credentials | undefined {
  const token = headers['x-auth-token'];
  if (token !== undefined) return { kind: 'x-auth-token', token: String(token) };
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  const [, scheme = '', given = ''] = /^([A-Za-z]+) +(\S+) *$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') return { kind: 'bearer', token: given };
  if (scheme.toLowerCase() === 'basic') return basic(given);
  return { kind: 'unreadable' };
}

/** RFC 7617: everything behind the first colon is the password. */
function basic(encoded: string): Credentials {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 1 ? { kind: 'unreadable' } : { kind: 'basic', user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** A digest that stands for credentials in memory, so that nothing kept there could be sent as a login. */
export const digestOf = (...texts: readonly string[]): string =>
  createHash('sha256')
    .update(texts.map((text) => `${text.length}:${text}`).join(''))
    .digest('base64');
