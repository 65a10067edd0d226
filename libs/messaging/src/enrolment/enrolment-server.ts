import { millis, minutes, TransientError, WindlassError } from '@windlass/foundation';
import type { MessagingLog } from '../link/nats-link.js';
import type { CoreKeys } from '../sealing/core-keys.js';
import { publicKey } from '../sealing/key-pair.js';
import { enrolAad, type EnrolAnswer, type EnrolMessage, type EnrolRefusal, type TokenRefusal } from './enrolment-contract.js';
import type { EnrolmentStore, KeptToken } from './enrolment-store.js';
import { isSecretOf, parseToken, type EnrolmentToken } from './enrolment-token.js';

/** Refused tokens a service and minute. After these no token is looked at for the rest of the minute: our services do not try harder. */
const REFUSALS_A_MINUTE = 20;
const WINDOW = minutes(1);
/** The limit of service names for which refused tokens came within the window: no installation has as many services. */
const MAX_NAMES = 200;

/** `windlass.saga.enrol`: takes the keys of workers that bring a token of the operator's. */
export class EnrolmentServer {
  readonly #refused = new Map<string, { since: number; count: number }>();

  constructor(
    private readonly store: EnrolmentStore,
    private readonly keys: CoreKeys,
    private readonly log: MessagingLog,
    /** Called for each service with a new key: the service needs a consumer for its wake-ups. */
    private readonly onEnrolled: (service: string) => void = () => undefined,
  ) {}

  /** @throws TransientError `enrolment.too-many-attempts` with when to come again */
  async enrol(message: EnrolMessage): Promise<EnrolAnswer> {
    const { service, worker, sealedToken } = message;
    const key = publicKey(message.publicKey);
    const known = await this.store.key(key.id);
    if (known !== undefined) {
      if (known.service !== service) return this.#refuse(message, key.id, 'key-of-another-service');
      if (known.revoked) return this.#refuse(message, key.id, 'key-revoked');
      await this.store.seen(key.id);
      return { enrolled: true };
    }
    if (sealedToken === undefined) return { enrolled: false, reason: 'unknown-key' };
    this.#assertCalm(service);
    const token = this.#opened(message);
    const kept = token === undefined ? undefined : await this.store.token(token.id);
    const refusal = refusalOf(service, token, kept);
    if (refusal !== undefined || kept === undefined) return this.#refuse(message, key.id, refusal ?? 'token-unknown', token?.id);
    if (!(await this.store.enrol({ id: key.id, service, publicKey: key.x, worker }, kept.id)))
      return this.#refuse(message, key.id, 'token-used-up', kept.id);
    this.log.info('a worker’s key is enrolled', { service, worker, keyId: key.id, tokenId: kept.id });
    this.onEnrolled(service);
    return { enrolled: true };
  }

  /** Undefined where the sealed text is no token, or was sealed for another service, key or coordinator. */
  #opened({ service, publicKey: x, sealedToken }: EnrolMessage): EnrolmentToken | undefined {
    if (sealedToken === undefined) return undefined;
    try {
      return parseToken(this.keys.open(sealedToken, enrolAad(service, x)).toString('utf8'));
    } catch (error) {
      if (!(error instanceof WindlassError)) throw error;
      return undefined;
    }
  }

  #refuse({ service, worker }: EnrolMessage, keyId: string, reason: EnrolRefusal, tokenId?: string): EnrolAnswer {
    if (reason.startsWith('token')) this.#count(service);
    this.log.warn('a worker’s key is not enrolled', {
      service,
      worker,
      keyId,
      reason,
      ...(tokenId === undefined ? {} : { tokenId }),
    });
    return { enrolled: false, reason };
  }

  #count(service: string): void {
    this.#forgetOld();
    const known = this.#refused.get(service) ?? { since: performance.now(), count: 0 };
    this.#refused.set(service, { ...known, count: known.count + 1 });
  }

  #forgetOld(): void {
    for (const [name, { since }] of this.#refused) if (performance.now() - since > WINDOW) this.#refused.delete(name);
  }

  #assertCalm(service: string): void {
    const known = this.#refused.size < MAX_NAMES ? this.#refused.get(service) : [...this.#refused.values()][0];
    if (known === undefined || (known.count < REFUSALS_A_MINUTE && this.#refused.size < MAX_NAMES)) return;
    const left = known.since + WINDOW - performance.now();
    if (left <= 0) {
      this.#forgetOld();
      return;
    }
    const detail = `too many enrolment tokens of ${service} were refused within a minute: no more are looked at until it is over`;
    this.log.warn('enrolment tokens are not looked at for a while', { service, forMs: Math.ceil(left) });
    throw new TransientError('enrolment.too-many-attempts', detail, { status: 429, retryAfter: millis(Math.ceil(left)) });
  }
}

/** The reason to refuse the token, if any. The comparison of the secret comes first and takes the same time for any secret. */
function refusalOf(service: string, token: EnrolmentToken | undefined, kept: KeptToken | undefined): TokenRefusal | undefined {
  if (token === undefined || kept === undefined || !isSecretOf(token.secret, kept.hash)) return 'token-unknown';
  if (kept.service !== service) return 'token-of-another-service';
  if (kept.revoked) return 'token-revoked';
  if (kept.expired) return 'token-expired';
  return kept.usedUp ? 'token-used-up' : undefined;
}
