import { isJsonObject, RequestError, seconds, TransientError, type Json, type JsonObject } from '@windlass/foundation';
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyOptions, type RemoteJWKSet } from 'jose';
import type { Role } from '@windlass/service-kit';
import type { Identity } from '../caller/identity.js';
import type { Credentials } from './credentials.js';
import { mappedRoles, type Mapping } from './mapping.js';
import { REALM } from './static-tokens.js';
import type { AccessLog } from '../http/access-log.js';
import type { WayIn } from './way-in.js';

export interface JwtSettings {
  issuer: string;
  audience: string;
  /** Where the issuer shows its keys; they are fetched again when a token names one that is not known. */
  jwksUrl: string;
  algorithms: readonly string[];
  /** Claims that say who it is, of which project, with which roles; a dot leads into an object: `realm_access.roles`. */
  userClaim: string;
  tenantClaim: string;
  rolesClaim: string;
  roles: Mapping<Role>;
}

/** Clocks of the issuer and of this machine may differ by so much, in seconds. */
const CLOCK_TOLERANCE = 30;
const AGAIN_AFTER = seconds(5);

/** Access tokens of an OAuth2 server (RFC 6750, RFC 9068): JWTs that it signed. */
export class BearerJwts implements WayIn {
  readonly challenge = `Bearer realm="${REALM}"`;
  readonly #keys: RemoteJWKSet;
  readonly #demands: JWTVerifyOptions;

  /** @param cooldown after fetching keys, how long a token that names an unknown one makes no further fetch */
  constructor(
    private readonly settings: JwtSettings,
    private readonly log: AccessLog,
    cooldown = seconds(10),
  ) {
    this.#keys = createRemoteJWKSet(new URL(settings.jwksUrl), { cooldownDuration: cooldown, timeoutDuration: seconds(5) });
    this.#demands = {
      issuer: settings.issuer,
      audience: settings.audience,
      algorithms: [...settings.algorithms],
      clockTolerance: CLOCK_TOLERANCE,
      requiredClaims: ['exp'],
    };
  }

  async authenticate(given: Credentials): Promise<Identity | undefined> {
    // A bearer may also be a static token. Only a text in the form of a JWT is looked at here.
    if (given.kind !== 'bearer' || given.token.split('.').length !== 3) return undefined;
    const claims = await this.#claimsOf(given.token);
    return claims === undefined ? undefined : this.#identityOf(claims as JsonObject);
  }

  async #claimsOf(token: string): Promise<JWTPayload | undefined> {
    try {
      return (await jwtVerify(token, this.#keys, this.#demands)).payload;
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) return this.#byAnyOf(token, error);
      if (isRefusal(error)) return undefined;
      this.log.warn('the keys of the OAuth2 server could not be fetched', {
        url: this.settings.jwksUrl,
        error: error instanceof Error ? error.message : String(error),
      });
      throw new TransientError('auth.keys-away', 'the keys of the OAuth2 server can’t be fetched now: try again in 5 s', {
        retryAfter: AGAIN_AFTER,
        cause: error,
      });
    }
  }

  /** Tries a token that names no key with each key that fits. */
  async #byAnyOf(token: string, keys: AsyncIterable<Parameters<typeof jwtVerify>[1]>): Promise<JWTPayload | undefined> {
    for await (const key of keys) {
      try {
        return (await jwtVerify(token, key as Parameters<typeof jwtVerify>[1] & object, this.#demands)).payload;
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
    }
    return undefined;
  }

  #identityOf(claims: JsonObject): Identity {
    const { userClaim, tenantClaim, rolesClaim, roles } = this.settings;
    const tenant = claimAt(claims, tenantClaim);
    if (typeof tenant !== 'string' || tenant === '')
      throw new RequestError(403, 'auth.unscoped', `the token names no project: its claim ${tenantClaim} must be a text`);
    const user = claimAt(claims, userClaim);
    return {
      tenant,
      user: typeof user === 'string' ? user : 'unnamed',
      roles: mappedRoles(textsOf(claimAt(claims, rolesClaim)), roles),
    };
  }
}

/** Whether an error of jose is about the token, and not about fetching the keys. */
const isRefusal = (error: unknown): boolean =>
  error instanceof errors.JOSEError &&
  !(error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) &&
  error.code !== 'ERR_JOSE_GENERIC';

function claimAt(claims: JsonObject, path: string): Json | undefined {
  // A claim's own name may hold dots and slashes, as those that are URLs do.
  if (Object.hasOwn(claims, path)) return claims[path];
  let found: Json | undefined = claims;
  for (const name of path.split('.')) found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  return found;
}

/** A list of texts, or one with spaces between, as `scope` has them. */
function textsOf(claim: Json | undefined): string[] {
  if (typeof claim === 'string') return claim.split(' ');
  return Array.isArray(claim) ? claim.filter((each) => typeof each === 'string') : [];
}
