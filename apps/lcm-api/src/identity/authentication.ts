import { RequestError, TransientError } from '@windlass/foundation';
import type { NextFunction, Response } from 'express';
import type { IncomingMessage, Server } from 'node:http';
import type { Role } from '@windlass/service-kit';
import { mayAs, type IdentifiedRequest, type Identity } from '../caller/identity.js';
import { routeOf } from '../routes/routes.js';
import { remoteAddressOf } from '../trail/request-trail.js';
import { credentialsIn, digestOf, type Credentials } from './credentials.js';
import { FailedAttempts, type Known } from './failed-attempts.js';
import { RequestRates } from './request-rates.js';
import type { WayIn } from './way-in.js';

/** Up to this size, the rest of a refused body is read and dropped, so that the connection stays. A larger body ends the connection unread. */
const PASSED_OVER_BYTES = 64 * 1024;

export interface AuthenticationOptions {
  /** In the order in which they are asked. */
  ways: readonly WayIn[];
  /** Failures a minute from one address; {@link DEFAULT_ATTEMPTS} where it says nothing. */
  attempts?: number;
  /** Requests a second of one identity; any number where it says nothing. */
  perSecond?: number;
  /** The identity of every request, where the operator has switched authentication off. */
  everybody?: Identity;
}

export const DEFAULT_ATTEMPTS = 20;

/** Finds out who asks, and whether their role is enough for the route, before anything of a request's body is read. */
export class Authentication {
  readonly #attempts: FailedAttempts;
  readonly #rates: RequestRates | undefined;
  readonly #challenges: readonly string[];

  constructor(private readonly options: AuthenticationOptions) {
    this.#attempts = new FailedAttempts(options.attempts ?? DEFAULT_ATTEMPTS);
    this.#rates = options.perSecond === undefined ? undefined : new RequestRates(options.perSecond);
    this.#challenges = [...new Set(options.ways.map(({ challenge }) => challenge))];
  }

  /** Of the server of this middleware: a client that asks before it sends a body (RFC 9110 10.1.1) is answered when its identity is known. */
  answerExpectations(server: Server): void {
    server.on('checkContinue', (request: IncomingMessage, response: unknown) => server.emit('request', request, response));
  }

  /** Sets the request's identity, or refuses it. Behind `knownRoutes`. */
  readonly middleware = (request: IdentifiedRequest, response: Response, next: NextFunction): void => {
    const { role } = routeOf(request);
    if (role === 'anyone') {
      letOn(request, response, next);
      return;
    }
    response.set('Cache-Control', 'no-store');
    this.#admit(request, response, role).then(
      () => letOn(request, response, next),
      (error: unknown) => {
        leaveBody(request, response);
        next(error);
      },
    );
  };

  /** Sets the identity before the role is checked, so that the trail also names clients that are refused. */
  async #admit(request: IdentifiedRequest, response: Response, least: Role): Promise<void> {
    const identity = this.options.everybody ?? (await this.#known(request, response));
    request.identity = identity;
    if (identity.roles.length === 0)
      throw new RequestError(403, 'auth.no-role', `${identity.user} has no role here: an operator must give one`);
    if (!mayAs(identity, least))
      throw new RequestError(
        403,
        'auth.role',
        `${request.method} ${request.path} needs the role ${least}; ${identity.user} has ${identity.roles.join(', ')}`,
      );
    const wait = this.#rates?.take(identity) ?? 0;
    if (wait > 0)
      throw new TransientError('request.too-many', `${identity.user} sends more requests than are allowed here: wait a moment`, {
        status: 429,
        retryAfter: wait as NonNullable<TransientError['retryAfter']>,
      });
  }

  async #known(request: IdentifiedRequest, response: Response): Promise<Identity> {
    const given = credentialsIn(request.headers);
    if (given === undefined) {
      response.set('WWW-Authenticate', [...this.#challenges]);
      throw new RequestError(401, 'auth.missing', 'say who you are: send a token in X-Auth-Token, or Authorization');
    }
    const address = remoteAddressOf(request);
    const digest = digestOf(...Object.values<string>({ ...given }));
    const begun = await this.#attempts.begin(address, digest);
    if (typeof begun === 'number')
      throw new TransientError('auth.attempts', 'too many tries from this address failed: wait until the minute is over', {
        status: 429,
        retryAfter: begun,
      });
    let known: Known;
    try {
      const identity = await this.#firstThatKnows(given);
      known = identity !== undefined;
      if (identity !== undefined) return identity;
    } finally {
      begun(known);
    }
    response.set(
      'WWW-Authenticate',
      this.#challenges.map((challenge) => refused(challenge, given)),
    );
    throw new RequestError(401, 'auth.refused', 'the token or password is not valid here, or not any more');
  }

  async #firstThatKnows(given: Credentials): Promise<Identity | undefined> {
    for (const way of this.options.ways) {
      const identity = await way.authenticate(given);
      if (identity !== undefined) return identity;
    }
    return undefined;
  }
}

/** Calls the next handler, which may read the body. A client that sent `Expect: 100-continue` is told to send its body. */
function letOn(request: IdentifiedRequest, response: Response, next: NextFunction): void {
  if (request.header('expect')?.toLowerCase() === '100-continue') response.writeContinue();
  next();
}

/** RFC 6750 section 3.1: the challenge to a client that sent a bearer token says that the token is invalid. */
const refused = (challenge: string, { kind }: Credentials): string =>
  kind === 'bearer' && challenge.startsWith('Bearer ') ? `${challenge}, error="invalid_token"` : challenge;

/** The body of a client without valid credentials is not read: a small body is discarded, a larger one closes the connection. */
function leaveBody({ headers }: IdentifiedRequest, response: Response): void {
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY;
  if (length > PASSED_OVER_BYTES) response.set('Connection', 'close');
}
