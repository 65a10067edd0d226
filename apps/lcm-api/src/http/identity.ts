import type { Request } from 'express';
import { RequestError } from '@windlass/foundation';

/** Who asks, and for which project. Another project's objects are not there for them. */
export interface Identity {
  /** The project. */
  tenant: string;
  user: string;
  roles: readonly Role[];
}

export type Role = 'reader' | 'member' | 'admin';

/** A request with who asks: set by the guard before any handler runs. */
export interface IdentifiedRequest extends Request {
  identity?: Identity;
}

/** @throws RequestError 401 when nobody was identified: a handler that the guard does not stand before. */
export function identityOf(request: IdentifiedRequest): Identity {
  if (request.identity === undefined) throw new RequestError(401, 'auth.missing', 'the request carries no identity');
  return request.identity;
}

/** @param what is for administrators, with its verb: `enrolment is`. @throws RequestError 403 for whoever is none */
export function administratorOf(request: IdentifiedRequest, what: string): Identity {
  const identity = identityOf(request);
  if (!identity.roles.includes('admin'))
    throw new RequestError(403, 'auth.forbidden', `${what} a matter of administrators: ask with the role admin`);
  return identity;
}
