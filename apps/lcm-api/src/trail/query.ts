import { RequestError } from '@windlass/foundation';
import type { Request } from 'express';

/** A parameter that is given once at most. @throws RequestError 400 */
export function one<T>(
  query: Request['query'],
  name: string,
  read: (text: string) => T | undefined,
  expected: string,
): T | undefined {
  const given = query[name];
  if (given === undefined) return undefined;
  const value = typeof given === 'string' ? read(given) : undefined;
  if (value !== undefined) return value;
  const reason = `expected ${expected}`;
  throw new RequestError(400, 'request.invalid', `${name}: ${reason}`, { invalidParams: [{ path: name, reason }] });
}
