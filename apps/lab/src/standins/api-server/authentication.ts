import { createHash, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { BOOTSTRAP_TOKEN } from '../kube/names.js';
import { stringAt, type KubeObject } from '../kube/object.js';
import type { Secret, ServiceAccount } from '../kube/kinds.js';
import { R, storageKey } from '../kube/resources.js';
import { StatusError } from '../kube/status-error.js';
import { verifyJwt } from '../pki/jwt.js';
import { ANONYMOUS, authenticated, type Identity } from './identity.js';

export const LEGACY_ISSUER = 'kubernetes/serviceaccount';

export interface TokenSettings {
  /** `--service-account-issuer`. */
  issuer: string;
  /** Keys of `--service-account-key-file`. */
  verificationKeys: readonly KeyObject[];
  /** `--enable-bootstrap-token-auth`. */
  bootstrapTokens: boolean;
  anonymous: boolean;
}

/** Reads an object as authorization may see it, from the cache. */
export type Lookup = (key: string) => KubeObject | undefined;

/**
 * Finds out who asks: client certificate, then bearer token, then anonymous, as the real chain.
 * @throws StatusError 401 for a certificate or token that is not good. No credential at all is `system:anonymous`,
 * whom RBAC then refuses with 403 almost everywhere.
 */
export class Authenticator {
  constructor(
    private readonly settings: TokenSettings,
    private readonly lookup: Lookup,
    private readonly now: () => Date = () => new Date(),
  ) {}

  identify(request: IncomingMessage): Identity {
    const byCertificate = certificateIdentity(request.socket);
    if (byCertificate !== undefined) return byCertificate;
    const header = request.headers.authorization;
    if (header !== undefined) {
      const [scheme, token] = header.split(' ');
      if (scheme?.toLowerCase() !== 'bearer' || token === undefined || token === '') throw StatusError.unauthorized();
      const identity = this.identifyToken(token);
      if (identity === undefined) throw StatusError.unauthorized();
      return identity;
    }
    if (!this.settings.anonymous) throw StatusError.unauthorized();
    return ANONYMOUS;
  }

  /** The identity behind a bearer token, or undefined when it is not valid (any more). */
  identifyToken(token: string, audience: string = this.settings.issuer): Identity | undefined {
    const bootstrap = BOOTSTRAP_TOKEN.exec(token);
    if (bootstrap)
      return this.settings.bootstrapTokens ? this.#bootstrapIdentity(bootstrap[1] ?? '', bootstrap[2] ?? '') : undefined;
    const claims = verifyJwt(token, this.settings.verificationKeys);
    if (claims === undefined) return undefined;
    return claims.iss === LEGACY_ISSUER ? this.#legacyIdentity(claims, token) : this.#boundIdentity(claims, audience);
  }

  #bootstrapIdentity(id: string, secret: string): Identity | undefined {
    const found = this.lookup(storageKey(R.secrets, 'kube-system', `bootstrap-token-${id}`)) as Secret | undefined;
    if (found?.type !== 'bootstrap.kubernetes.io/token' || found.metadata.deletionTimestamp !== undefined) return undefined;
    const value = (name: string): string => Buffer.from(found.data?.[name] ?? '', 'base64').toString('utf8');
    if (value('token-id') !== id || !sameSecret(value('token-secret'), secret)) return undefined;
    const expiration = value('expiration');
    if (expiration !== '' && !(Date.parse(expiration) > this.now().getTime())) return undefined;
    if (value('usage-bootstrap-authentication') !== 'true') return undefined;
    const extra = value('auth-extra-groups')
      .split(',')
      .filter((group) => group !== '');
    return authenticated(`system:bootstrap:${id}`, ['system:bootstrappers', ...extra]);
  }

  /** A token of the form that secrets of type `kubernetes.io/service-account-token` carry: it lives as long as its secret. */
  #legacyIdentity(claims: JsonObject, token: string): Identity | undefined {
    const claim = (name: string): string => stringAt(claims, `kubernetes.io/serviceaccount/${name}`) ?? '';
    const namespace = claim('namespace');
    const secret = this.lookup(storageKey(R.secrets, namespace, claim('secret.name'))) as Secret | undefined;
    if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return undefined;
    if (Buffer.from(secret.data?.token ?? '', 'base64').toString('utf8') !== token) return undefined;
    return this.#accountIdentity(namespace, claim('service-account.name'), claim('service-account.uid'));
  }

  /** A token of the TokenRequest API: it lives until `exp` and as long as the account. */
  #boundIdentity(claims: JsonObject, audience: string): Identity | undefined {
    const seconds = this.now().getTime() / 1000;
    if (claims.iss !== this.settings.issuer || !audiencesOf(claims.aud).includes(audience)) return undefined;
    if (!(typeof claims.exp === 'number' && claims.exp > seconds)) return undefined;
    if (!(typeof claims.nbf === 'number' && claims.nbf <= seconds + 5)) return undefined;
    const bound = claims['kubernetes.io'];
    if (!isJsonObject(bound)) return undefined;
    return this.#accountIdentity(
      stringAt(bound, 'namespace') ?? '',
      stringAt(bound, 'serviceaccount', 'name') ?? '',
      stringAt(bound, 'serviceaccount', 'uid') ?? '',
    );
  }

  #accountIdentity(namespace: string, name: string, uid: string): Identity | undefined {
    const account = this.lookup(storageKey(R.serviceaccounts, namespace, name)) as ServiceAccount | undefined;
    if (account?.metadata.uid !== uid || account.metadata.deletionTimestamp !== undefined) return undefined;
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
    return authenticated(`system:serviceaccount:${namespace}:${name}`, groups, uid);
  }
}

const audiencesOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);

function sameSecret(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** CN is the user, each O a group. A certificate that the client CA did not sign is 401; none at all leaves it to the token. */
function certificateIdentity(socket: unknown): Identity | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const certificate = socket.getPeerCertificate() as Partial<PeerCertificate>;
  if (certificate.subject === undefined) return undefined;
  if (!socket.authorized) throw StatusError.unauthorized();
  const { CN, O } = certificate.subject as { CN?: string | string[]; O?: string | string[] };
  const name = Array.isArray(CN) ? CN.at(-1) : CN;
  if (name === undefined) throw StatusError.unauthorized();
  return authenticated(name, O === undefined ? [] : [O].flat());
}
