import { RequestError, seconds, WindlassError, type Duration, type ProblemDetails } from '@windlass/foundation';
import type { MessagingLog } from '@windlass/messaging';
import { inTransaction, PgPackageContent, rowsOf, VnfPackageEntity } from '@windlass/persistence';
import { PackageError } from '@windlass/vnf-package';
import { QueryFailedError, type DataSource, type EntityManager } from 'typeorm';

/** A sign of life is written this many times in the time after which a process counts as dead. */
const SIGNS_OF_LIFE = 3;

/** How often a package is tried that never comes to an end: its process died, of the package or of something else. */
const MOST_TRIES = 2;

/** An upload whose process has died, as it is taken up. */
export interface AbandonedUpload {
  id: string;
  state: 'UPLOADING' | 'PROCESSING';
  /** The upload's epoch. The take-up raises it. */
  epoch: number;
  /** Sealed; null where its client sent the bytes. */
  source: Buffer | null;
  until: Date | null;
}

/**
 * Uploads as PostgreSQL keeps them, on their packages' rows. Each change is a compare and set on the upload's epoch, so that a process that was taken
 * for dead can't write any more.
 */
export class Uploads {
  constructor(
    private readonly database: DataSource,
    private readonly content: PgPackageContent,
    private readonly log: MessagingLog,
    private readonly abandonedAfter: Duration,
  ) {}

  /** Begins an upload of a package that is CREATED. @returns its epoch. @throws RequestError 409 unless it is */
  async begin(manager: EntityManager, id: string, source: { sealed: Buffer; until: Date } | undefined): Promise<number> {
    const [row] = await rowsOf<{ upload_epoch: number }>(
      manager,
      `UPDATE package.vnf_package SET onboarding_state = 'UPLOADING', upload_epoch = upload_epoch + 1, upload_seen_at = clock_timestamp(),
         failure = NULL, processing_tries = 0, upload_source = $2, upload_until = $3, upload_bytes = NULL
       WHERE id = $1 AND onboarding_state = 'CREATED' RETURNING upload_epoch`,
      [id, source?.sealed ?? null, source?.until ?? null],
    );
    if (row === undefined)
      throw new RequestError(
        409,
        'vnf-package.not-created',
        `VNF package ${id} has its content already, or is being uploaded: create another one`,
      );
    return row.upload_epoch;
  }

  /** Begins the upload's content again, and drops what it had. @throws RequestError 409 `vnf-package.taken-over` */
  async again(id: string, epoch: number): Promise<number> {
    await this.set(this.database.manager, id, epoch, { uploadEpoch: epoch + 1, uploadBytes: null });
    await this.content.remove(id, epoch + 1);
    return epoch + 1;
  }

  /**
   * Counts a try at processing an archive.
   * @throws RequestError 409 `vnf-package.taken-over`; PackageError `csar.too-costly` when no try before this one came to an end
   */
  async beginProcessing(id: string, epoch: number): Promise<void> {
    const [row] = await rowsOf<{ processing_tries: number }>(
      this.database.manager,
      `UPDATE package.vnf_package SET processing_tries = processing_tries + 1, upload_seen_at = clock_timestamp()
       WHERE id = $1 AND upload_epoch = $2 AND onboarding_state = 'PROCESSING' RETURNING processing_tries`,
      [id, epoch],
    );
    if (row === undefined) throw takenOver(id);
    if (row.processing_tries > MOST_TRIES) {
      const reason = `reading the package was begun ${MOST_TRIES} times and came to no end, as when the service dies of it: look at the services' logs, make its descriptor smaller, and upload it again`;
      throw new PackageError('csar.too-costly', reason);
    }
  }

  /** Uploads whose process has died. Only the caller takes them up for a while. */
  async abandoned(): Promise<AbandonedUpload[]> {
    return rowsOf<AbandonedUpload>(
      this.database.manager,
      `UPDATE package.vnf_package SET upload_seen_at = clock_timestamp()
       WHERE onboarding_state IN ('UPLOADING', 'PROCESSING') AND upload_seen_at < clock_timestamp() - make_interval(secs => $1)
       RETURNING id, onboarding_state AS state, upload_epoch AS epoch, upload_source AS source, upload_until AS until`,
      [this.abandonedAfter / 1_000],
    );
  }

  /** Hands an upload over: the next look takes it up at once. A stopped try does not count. */
  async handOver(id: string, epoch: number): Promise<void> {
    await this.database.query(
      `UPDATE package.vnf_package SET upload_seen_at = to_timestamp(0), processing_tries = greatest(processing_tries - 1, 0)
       WHERE id = $1 AND upload_epoch = $2`,
      [id, epoch],
    );
  }

  /**
   * Keeps an upload from being taken for dead while work on it goes on, however slow that is.
   * @param work is given a signal, aborted once the package was deleted or another process took it over
   */
  async keptAlive<T>(id: string, epoch: number, work: (lost: AbortSignal) => Promise<T>): Promise<T> {
    const lost = new AbortController();
    const sign = async (): Promise<void> => {
      if (!(await this.#sign(id, epoch))) lost.abort(takenOver(id));
    };
    const timer = setInterval(() => void sign(), Math.min(seconds(5), this.abandonedAfter / SIGNS_OF_LIFE));
    try {
      return await work(lost.signal);
    } finally {
      clearInterval(timer);
    }
  }

  /** @throws RequestError 409 `vnf-package.taken-over` when another process has it now */
  async set(manager: EntityManager, id: string, epoch: number, change: Partial<VnfPackageEntity>): Promise<void> {
    const { affected } = await manager.update(VnfPackageEntity, { id, uploadEpoch: epoch }, {
      ...change,
      uploadSeenAt: new Date(),
    } as never);
    if (affected !== 1) throw takenOver(id);
  }

  /** Back to CREATED, with the reason. @param alongside what else belongs into the transaction that keeps the failure */
  async setBack(
    id: string,
    epoch: number,
    error: unknown,
    alongside?: (manager: EntityManager, failure: ProblemDetails) => Promise<void>,
  ): Promise<void> {
    const failure = failureOf(error);
    const mine = await inTransaction(this.database, async (manager) => {
      const { affected } = await manager.update(VnfPackageEntity, { id, uploadEpoch: epoch }, {
        onboardingState: 'CREATED',
        failure,
        size: null,
        checksum: null,
        uploadBytes: null,
        uploadSource: null,
        uploadUntil: null,
      } as never);
      if (affected === 1) await alongside?.(manager, failure);
      return affected === 1;
    });
    if (!mine) return;
    this.log.warn('a VNF package was refused', { vnfPkgId: id, code: failure.code, detail: failure.detail });
    await this.content.remove(id);
  }

  /** @returns false when the upload is not this process's any more */
  async #sign(id: string, epoch: number): Promise<boolean> {
    try {
      const signed = await rowsOf(
        this.database.manager,
        'UPDATE package.vnf_package SET upload_seen_at = clock_timestamp() WHERE id = $1 AND upload_epoch = $2 RETURNING id',
        [id, epoch],
      );
      return signed.length > 0;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.log.warn('an upload could not say that it goes on; trying again', { vnfPkgId: id, error: reason });
      return true;
    }
  }
}

/** Another process has the upload now, or its package is gone. */
export const takenOver = (id: string): RequestError =>
  new RequestError(409, 'vnf-package.taken-over', `VNF package ${id} was deleted, or another process took it over`);

function failureOf(error: unknown): ProblemDetails {
  if (error instanceof QueryFailedError && (error.driverError as { code?: string }).code === '23505') {
    return {
      status: 409,
      code: 'vnfd.taken',
      title: 'Conflict',
      detail: 'another onboarded package has the same VNFD id: delete it first, or give this one another descriptor_id',
    };
  }
  if (error instanceof WindlassError) return error.problemDetails();
  return {
    status: 500,
    code: 'internal',
    title: 'Internal error',
    detail: `the package could not be read: ${error instanceof Error ? error.message : String(error)}`,
  };
}
