import type { Identity } from '../caller/identity.js';
import type { Credentials } from './credentials.js';

/** One way of saying who one is. Several may be open at once. */
export interface WayIn {
  /** What an answer with 401 says of it in `WWW-Authenticate` (RFC 9110 11.6.1). */
  readonly challenge: string;
  /**
   * Who shows these credentials; undefined where they are not known here, or are of another way.
   * @throws TransientError 503 where that can't be found out now
   * @throws RequestError 403 for somebody who is known and has no project
   */
  authenticate(credentials: Credentials): Promise<Identity | undefined>;
}
