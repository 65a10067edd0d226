import { RequestError, type JsonObject } from '@windlass/foundation';

/** The keys of `additionalParams` by which a request names a user data script of its package. */
const SCRIPT_KEYS = ['lcm-operation-user-data', 'lcm-operation-user-data-class'] as const;

/**
 * Refuses a request that names a user data script: this release runs none, and ignoring it would make another VNF than was asked for.
 * @throws RequestError 400 `user-data.scripts-not-run` at each of the two keys that is given.
 */
export function refuseUserDataScript(additionalParams: JsonObject | undefined): void {
  const named = SCRIPT_KEYS.filter((key) => Object.hasOwn(additionalParams ?? {}, key));
  if (named.length === 0) return;
  const reason = 'this release runs no user data scripts; leave both keys out: the parameters are computed from the VNFD';
  throw new RequestError(400, 'user-data.scripts-not-run', `${named.join(' and ')}: ${reason}`, {
    invalidParams: named.map((key) => ({ path: `/additionalParams/${key}`, reason })),
  });
}
