import { sessionOf, type Call } from '../http/answer.js';
import { middlewareUnauthorized } from '../http/unauthorized.js';
import type { Stack } from '../state/state.js';
import { badRequest, heatError, stackNotFound } from './template/heat-errors.js';
import type { Heat } from './heat.js';

/** The project of the path, which must be the token's. */
export function projectOf(call: Call): string {
  const session = sessionOf(call);
  if (session.project === undefined) throw middlewareUnauthorized();
  if (call.params.project !== session.project.id) {
    throw heatError(403, 'HTTPForbidden', 'Access was denied to this resource.');
  }
  return session.project.id;
}

/** A query member that is a whole number. @throws HttpFailure 400 where it is none. */
export function queryWhole(call: Call, name: string): number | undefined {
  const value = call.query.get(name);
  if (value === null) return undefined;
  if (!/^-?\d+$/.test(value)) throw badRequest(`Only integer is acceptable by '${name}'.`);
  if (Number(value) < 0) throw badRequest(`Value '${value}' is invalid for '${name}' which only accepts non-negative integer.`);
  return Number(value);
}

/** The stack that a path names by name and id. */
export const stackOf = (heat: Heat, call: Call): Stack =>
  heat.identified(projectOf(call), call.params.name ?? '', call.params.id ?? '');

/** The same where the stack must not be deleted: whatever changes it. @throws HttpFailure 404. */
export function liveStackOf(heat: Heat, call: Call): Stack {
  const stack = stackOf(heat, call);
  if (stack.deletedAt !== null) throw stackNotFound(stack.name);
  return stack;
}
