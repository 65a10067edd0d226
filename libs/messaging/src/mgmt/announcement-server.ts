import { RequestError, TransientError, type WindlassError } from '@windlass/foundation';
import type { DriverDescription } from '@windlass/mgmt-driver';
import type { KeyRefusal } from '../enrolment/enrolment-contract.js';
import type { WorkerKey } from '../enrolment/enrolment-store.js';
import type { KnownKeys } from '../enrolment/known-keys.js';
import { UndecodableMessage } from '../envelope/envelope.js';
import type { MessagingLog } from '../link/nats-link.js';
import type { CoreKeys } from '../sealing/core-keys.js';
import { DRIVER_CONTRACT, descriptionRule, REBUILD_DRIVER, type AnnounceAnswer, type AnnounceMessage } from './mgmt-contracts.js';
import { isSameProof, ProofKeys, proofOfAnnouncement } from './proof.js';

/** What is known of a driver's name. */
export interface KeptDriver {
  /** The service whose keys may announce the driver; undefined after an operator has removed the driver: then the keys of any service may. */
  service: string | undefined;
  /** The number of the announcement that is kept; 0 before the first announcement. */
  number: number;
}

/** Where descriptions of drivers are kept: PostgreSQL. */
export interface DriverStore {
  /** Undefined for a name that was never announced. */
  kept(name: string): Promise<KeptDriver | undefined>;
  /** Keeps the description if its number is still the next, and the name still belongs to its service. @returns whether the description was kept */
  keep(description: DriverDescription, proven: { keyId: string; number: number }): Promise<boolean>;
}

/** `windlass.mgmt.announce`: keeps what drivers say of themselves. A key of the service that the name belongs to has to prove it. */
export class AnnouncementServer {
  readonly #secrets = new ProofKeys('core');

  constructor(
    private readonly store: DriverStore,
    private readonly keys: KnownKeys,
    private readonly coreKeys: CoreKeys,
    private readonly log: MessagingLog,
  ) {}

  /**
   * @throws RequestError `driver.contract-version-1`, `driver.of-another-service`, `driver.not-proven`
   * @throws TransientError `driver.key-not-enrolled`
   * @throws UndecodableMessage when the text is no description
   */
  async announced(message: AnnounceMessage): Promise<AnnounceAnswer> {
    try {
      return await this.#announced(message);
    } catch (error) {
      const { driver, service, keyId } = message;
      const { code, message: detail } = error as Partial<WindlassError>;
      this.log.warn('the announcement of a driver was refused', { driver, service, keyId, code, detail });
      throw error;
    }
  }

  async #announced(message: AnnounceMessage): Promise<AnnounceAnswer> {
    const { driver, service } = message;
    // A driver of version 1 sends no such member: the type says what version 2 sends.
    if ((message.v as number | undefined) !== DRIVER_CONTRACT) throw ofVersion1(driver, service);
    const key = await this.keys.of(service, message.keyId);
    if (typeof key === 'string') throw notEnrolled(message, key);
    const kept = await this.store.kept(driver);
    if (kept?.service !== undefined && kept.service !== service) throw ofAnotherService(driver, kept.service, service);
    const number = (kept?.number ?? 0) + 1;
    // A service that only asks, comes too late or used a key that is gone is told what to prove its announcement with.
    const told = { kept: false, coreKey: this.coreKeys.publicX, number };
    const description = this.#proven(message, key);
    if (description === undefined || message.number !== number) return told;
    if (!(await this.store.keep(description, { keyId: key.id, number }))) return told;
    this.log.info('a driver is announced', { driver, service, version: description.version, keyId: key.id });
    return { kept: true };
  }

  /** Undefined without a proof, or where the proof is for a key that is not ours any more. */
  #proven({ driver, service, coreKey, number, body, mac }: AnnounceMessage, key: WorkerKey): DriverDescription | undefined {
    if (coreKey === undefined || number === undefined || body === undefined || mac === undefined) return undefined;
    const pair = this.coreKeys.pairOf(coreKey);
    if (pair === undefined) return undefined;
    if (!isSameProof(mac, proofOfAnnouncement(this.#secrets.of(pair, key.publicKey), { number, body })))
      throw new RequestError(
        403,
        'driver.not-proven',
        `the announcement of ${driver} is not proven by key ${key.id} of ${service}`,
      );
    const description = descriptionIn(body, driver, service);
    if (description.driver !== driver || description.service !== service)
      throw new RequestError(
        403,
        'driver.not-proven',
        `what is proven of ${driver} of ${service} speaks of another driver or service`,
      );
    return description;
  }
}

function descriptionIn(body: string, driver: string, service: string): DriverDescription {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw new UndecodableMessage(`the description of ${driver}`, [{ path: '', reason: 'is no JSON' }]);
  }
  const checked = descriptionRule.check(parsed);
  if (checked.ok) return checked.value;
  if (checked.wrong.some(({ path }) => path === '/contract') || !hasContract(parsed)) throw ofVersion1(driver, service);
  throw new UndecodableMessage(`the description of ${driver}`, checked.wrong);
}

const hasContract = (value: unknown): boolean => typeof value === 'object' && value !== null && 'contract' in value;

const ofVersion1 = (driver: string, service: string): RequestError =>
  new RequestError(
    400,
    'driver.contract-version-1',
    `${driver} of ${service} does not announce itself by version ${DRIVER_CONTRACT} of the contract of management drivers: ${REBUILD_DRIVER}`,
  );

const notEnrolled = ({ driver, service, keyId }: AnnounceMessage, refusal: KeyRefusal): TransientError =>
  new TransientError('driver.key-not-enrolled', `key ${keyId} may not announce ${driver} for ${service}: ${refusal}`);

const ofAnotherService = (driver: string, owner: string, service: string): RequestError =>
  new RequestError(
    409,
    'driver.of-another-service',
    `the driver ${driver} belongs to ${owner}; for ${service} to have it, an administrator removes it first: windlass driver remove ${driver}`,
  );
