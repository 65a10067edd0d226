import { describeDuration, millis, RequestError, seconds, TransientError, type Duration } from '@windlass/foundation';
import type { MessagingLog } from '@windlass/messaging';
import { inTransaction, PgPackageContent, VnfPackageEntity, type PgLcmStore } from '@windlass/persistence';
import type { UploadVnfPackageFromUriRequest } from '@windlass/sol003';
import { verifyRemoteArtifacts, type CsarSource } from '@windlass/vnf-package';
import { setTimeout as after } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import type { DriverRegistry } from '../drivers/driver-registry.js';
import type { RequestTrail } from '../trail/request-trail.js';
import type { PackagePolicy } from './package-policy.js';
import type { PackageSources } from './package-source.js';
import type { PackageReader } from './reading/package-reader.js';
import type { UploadRoom } from './upload-room.js';
import type { AbandonedUpload, Uploads } from './uploads.js';
import { publishPackage } from './vnf-packages.js';

/** How often a package is fetched whose server can't be reached or breaks off. A refusal of the server ends the upload at once. */
const TRIES = 3;
const PAUSE: Duration = seconds(2);

/** What onboarding stands on. */
export interface OnboardingDependencies {
  database: DataSource;
  content: PgPackageContent;
  uploads: Uploads;
  room: UploadRoom;
  sources: PackageSources;
  store: PgLcmStore;
  drivers: DriverRegistry;
  trail: RequestTrail;
  log: MessagingLog;
  policy: PackagePolicy;
  reader: PackageReader;
  maxBytes: number;
}

/** An upload from a URI on its way. */
interface Fetch {
  id: string;
  epoch: number;
  source: UploadVnfPackageFromUriRequest;
  until: Date;
}

/** Takes packages in: an archive is stored as it arrives, then verified and modelled. Any fault sets the package back to CREATED, with the reason. */
export class Onboarding {
  readonly #working = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(private readonly dependencies: OnboardingDependencies) {}

  /**
   * Stores an uploaded archive; returns when its bytes are safe and its processing has begun.
   * @param length in bytes, where it is known beforehand
   * @throws RequestError 409 unless CREATED, 413
   */
  async receive(id: string, bytes: AsyncIterable<Uint8Array>, length = 0): Promise<void> {
    const { uploads, database, trail } = this.dependencies;
    const epoch = await uploads.begin(database.manager, id, undefined);
    try {
      await this.#store({ id, epoch, length }, this.#limited(bytes), (write) => trail.withChange(write));
    } catch (error) {
      await uploads.setBack(id, epoch, error, (manager, failure) => trail.noteRefusal(manager, failure));
      throw error;
    }
    this.#run(() => this.#process(id, epoch));
  }

  /**
   * Begins to fetch an archive, and returns when that is on the record: the fetch survives the death of any process.
   * @throws RequestError 409 unless CREATED, 400 for a host that packages are not fetched from
   */
  async receiveFrom(id: string, source: UploadVnfPackageFromUriRequest): Promise<void> {
    const { sources, uploads, trail, policy } = this.dependencies;
    sources.check(source);
    const until = new Date(Date.now() + policy.fetchWithin);
    const sealed = sources.seal(id, source);
    const epoch = await trail.withChange((manager) => uploads.begin(manager, id, { sealed, until }));
    this.#run(() => this.#fetch({ id, epoch, source, until }));
  }

  /**
   * Takes up packages whose process died: stored archives are processed again, those from a URI fetched again, and packages whose upload was cut off
   * go back to CREATED.
   */
  async sweep(): Promise<void> {
    for (const upload of await this.dependencies.uploads.abandoned()) this.#run(() => this.#takeUp(upload));
  }

  /** Ends fetches and readings, for another replica to take up. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#working);
    await this.dependencies.reader.stop();
  }

  /** Runs work after the answer was sent. Its result is on the package's record. */
  #run(work: () => Promise<void>): void {
    const { log } = this.dependencies;
    const running = work()
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn('a VNF package is left to be taken up again', { error: reason });
      })
      .finally(() => this.#working.delete(running));
    this.#working.add(running);
  }

  async #takeUp({ id, state, epoch, source, until }: AbandonedUpload): Promise<void> {
    const { uploads, sources } = this.dependencies;
    if (state === 'PROCESSING') await this.#process(id, epoch);
    else if (source !== null && until !== null) {
      const again = await uploads.again(id, epoch);
      await this.#fetch({ id, epoch: again, source: sources.open(id, source), until });
    } else {
      const cutOff = new RequestError(400, 'vnf-package.cut-off', 'the upload was cut off: upload the package again');
      await uploads.setBack(id, epoch, cutOff);
    }
  }

  async #store(
    { id, epoch, length = 0 }: { id: string; epoch: number; length?: number },
    bytes: AsyncIterable<Uint8Array>,
    transact: (write: (manager: EntityManager) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const { uploads, content, room } = this.dependencies;
    await uploads.keptAlive(id, epoch, async () => {
      const take = room.of(id, epoch);
      await take(length);
      const { size, sha512 } = await content.write(id, epoch, bytes, take);
      const checksum = { algorithm: 'SHA-512', hash: sha512 };
      const stored = {
        onboardingState: 'PROCESSING',
        size: String(size),
        checksum,
        uploadBytes: null,
        uploadSource: null,
        uploadUntil: null,
      } as const;
      await transact((manager) => uploads.set(manager, id, epoch, stored));
    });
  }

  /** Fetches the archive, a few times where its server can't be reached or breaks off, and processes it. A stop leaves it to another replica. */
  async #fetch({ id, epoch: first, source, until }: Fetch): Promise<void> {
    const { uploads, log } = this.dependencies;
    const { signal } = this.#stopping;
    let epoch = first;
    for (let tried = 1; ; tried += 1) {
      try {
        await this.#fetchOnce({ id, epoch, source, until });
        break;
      } catch (error) {
        if (signal.aborted) return uploads.handOver(id, epoch);
        const over = until.getTime() <= Date.now() + PAUSE;
        if (!(error instanceof TransientError) || tried === TRIES || over) return uploads.setBack(id, epoch, error);
        log.warn('a VNF package could not be fetched; trying again', { vnfPkgId: id, code: error.code, detail: error.message });
        epoch = await this.#afterPause(id, epoch);
      }
    }
    await this.#process(id, epoch);
  }

  async #fetchOnce({ id, epoch, source, until }: Fetch): Promise<void> {
    const { sources, database, policy } = this.dependencies;
    const left = millis(until.getTime() - Date.now());
    if (left <= 0) {
      const within = describeDuration(policy.fetchWithin);
      throw new TransientError('vnf-package.fetch-timeout', `the package could not be fetched within ${within}: upload it again`);
    }
    const bytes = await sources.fetch(source, left, this.#stopping.signal);
    await this.#store({ id, epoch }, bytes, (write) => inTransaction(database, write));
  }

  async #afterPause(id: string, epoch: number): Promise<number> {
    const { signal } = this.#stopping;
    try {
      await after(PAUSE, undefined, { signal });
    } catch {
      // A stop ends the pause; the next try notices it.
    }
    return this.dependencies.uploads.again(id, epoch);
  }

  async *#limited(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { maxBytes } = this.dependencies;
    let size = 0;
    for await (const part of bytes) {
      size += part.length;
      if (size > maxBytes)
        throw new RequestError(
          413,
          'vnf-package.too-large',
          `the package is larger than ${maxBytes} bytes, which is the limit here (LCM_MAX_PACKAGE_BYTES)`,
        );
      yield part;
    }
  }

  async #process(id: string, epoch: number): Promise<void> {
    const { uploads } = this.dependencies;
    try {
      await uploads.keptAlive(id, epoch, (lost) => this.#onboard(id, epoch, AbortSignal.any([lost, this.#stopping.signal])));
    } catch (error) {
      // A stop hands the upload over to another replica.
      if (this.#stopping.signal.aborted) await uploads.handOver(id, epoch);
      else await uploads.setBack(id, epoch, error);
    }
  }

  async #onboard(id: string, epoch: number, signal: AbortSignal): Promise<void> {
    const { database, content, uploads, store, log, sources, policy, reader } = this.dependencies;
    const row = await database.manager.findOneByOrFail(VnfPackageEntity, { id });
    const size = Number(row.size);
    const source: CsarSource = {
      size,
      read: (offset, length) => content.read(id, epoch, offset, Math.min(length, size - offset)),
    };
    // The time that a package waits for its turn is no try: a process that dies meanwhile dies of some other package.
    const begin = () => uploads.beginProcessing(id, epoch);
    const { files, ...examined } = await reader.read(row.tenant, { begin, source }, signal);
    const { model, warnings } = await verifyRemoteArtifacts(examined, sources.artifacts(policy.fetchWithin, signal), signal);
    const unregistered = await this.#unregistered(
      model.flavours.flatMap(({ lcmBindings }) => Object.values(lcmBindings).map(({ implementation }) => implementation)),
    );
    const told = [...warnings.map(({ subject, reason }) => `${subject}: ${reason}`), ...unregistered];
    await inTransaction(database, async (manager) => {
      await uploads.set(manager, id, epoch, {
        onboardingState: 'ONBOARDED',
        operationalState: 'ENABLED',
        vnfdId: model.vnfdId,
        model,
        files,
        warnings: told,
      });
      await publishPackage(store, manager, { id, tenant: row.tenant, vnfdId: model.vnfdId, model }, 'onboarded');
    });
    await content.remove(id, epoch);
    log.info('a VNF package was onboarded', {
      vnfPkgId: id,
      vnfdId: model.vnfdId,
      ...(told.length === 0 ? {} : { warnings: told }),
    });
  }

  async #unregistered(names: readonly string[]): Promise<string[]> {
    const warnings: string[] = [];
    for (const name of new Set(names)) {
      if ((await this.dependencies.drivers.find(name)) === undefined)
        warnings.push(`the management driver "${name}" is not registered here: an instantiation will be refused until it is`);
    }
    return warnings;
  }
}
