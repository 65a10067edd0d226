import type { Identity } from '../caller/identity.js';
import type { Credentials } from './credentials.js';

/** One way to sign in. Several may be open at once. */
export interface WayIn {
  /** What an answer with 401 says of it in `WWW-Authenticate` (RFC 9110 11.6.1). */
  readonly challenge: string;
  /**
   * The identity that shows these credentials; undefined where they are unknown, or belong to a different way.
   * @throws TransientError 503 where that can't be found out now
   * @throws RequestError 403 for a known user without a project
   */
  authenticate(credentials: Credentials): Promise<Identity | undefined>;
}
