import type { Request } from 'express';
import { RequestError } from '@windlass/foundation';
import { ROLES, type Role } from '@windlass/service-kit';

/** Who asks, and for which project. Another project's objects are not there for them. */
export interface Identity {
  /** The project. */
  tenant: string;
  /** As the audit trail names them. */
  user: string;
  roles: readonly Role[];
}

/** Whether an identity has a role, or one that includes it. */
export const mayAs = ({ roles }: Identity, least: Role): boolean =>
  roles.some((role) => ROLES.indexOf(role) >= ROLES.indexOf(least));

/** A request with who asks: set before any handler runs, and before its body is read. */
export interface IdentifiedRequest extends Request {
  identity?: Identity;
}

/** The identity of a request. @throws RequestError 401 where there is none, because no authentication stands before the handler */
export function identityOf(request: IdentifiedRequest): Identity {
  if (request.identity === undefined) throw new RequestError(401, 'auth.missing', 'the request carries no identity');
  return request.identity;
}

/**
 * The identity, where it belongs to the operator's own project: for what belongs to the deployment and to no project.
 * @param what is the operator's, with its verb: `enrolment is`
 * @throws RequestError 403 for identities of other projects; a missing role of the route is refused earlier
 */
export function operatorOf(request: IdentifiedRequest, operatorProject: string, what: string): Identity {
  const identity = identityOf(request);
  if (identity.tenant !== operatorProject)
    throw new RequestError(
      403,
      'auth.project',
      `${what} a matter of the deployment: ask as an admin of the project ${operatorProject}`,
    );
  return identity;
}
