import { RequestError, seconds, WindlassError, type Duration, type ProblemDetails } from '@windlass/foundation';
import type { PackageFile } from '@windlass/mgmt-driver';
import { inTransaction, PgPackageContent, rowsOf, VnfPackageEntity, type PgLcmStore } from '@windlass/persistence';
import { openCsar, readVnfPackage, type Csar, type CsarSource } from '@windlass/vnf-package';
import { QueryFailedError, type DataSource, type EntityManager } from 'typeorm';
import type { DriverRegistry } from '../drivers/driver-registry.js';
import type { RequestTrail } from '../trail/request-trail.js';
import { publishPackage } from './vnf-packages.js';

/** A package in hand whose process has not been heard of for this long is taken up by another, or set back. */
export const ABANDONED_AFTER: Duration = seconds(30);

/** Text members are read this far for their first line. */
const FIRST_LINE_BYTES = 4_096;

interface OnboardingLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Takes packages in: the archive is stored as it comes, then verified and modelled; whatever is wrong sets it back to CREATED with the reason. */
export class Onboarding {
  readonly #working = new Set<Promise<void>>();

  constructor(
    private readonly database: DataSource,
    private readonly content: PgPackageContent,
    private readonly store: PgLcmStore,
    private readonly drivers: DriverRegistry,
    private readonly trail: RequestTrail,
    private readonly log: OnboardingLog,
    private readonly maxBytes: number,
  ) {}

  /** Stores an uploaded archive; returns when its bytes are safe and its processing has begun. @throws RequestError 409 unless CREATED, 413 */
  async receive(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const epoch = await this.#begin(id);
    try {
      const { size, sha512 } = await this.content.write(id, epoch, this.#limited(bytes), () => this.#beat(id, epoch));
      const checksum = { algorithm: 'SHA-512', hash: sha512 };
      await this.trail.withChange((manager) =>
        this.#set(manager, id, epoch, { onboardingState: 'PROCESSING', size: String(size), checksum }),
      );
    } catch (error) {
      await this.#setBack(id, epoch, error, (manager, failure) => this.trail.noteRefusal(manager, failure));
      throw error;
    }
    const work = this.#process(id, epoch).finally(() => this.#working.delete(work));
    this.#working.add(work);
  }

  /** Takes up packages whose process died: those stored are processed again, those cut off go back to CREATED. */
  async sweep(): Promise<void> {
    const rows = await rowsOf<{ id: string; onboarding_state: string; upload_epoch: number }>(
      this.database.manager,
      `UPDATE package.vnf_package SET upload_seen_at = clock_timestamp()
       WHERE onboarding_state IN ('UPLOADING', 'PROCESSING') AND upload_seen_at < clock_timestamp() - make_interval(secs => $1)
       RETURNING id, onboarding_state, upload_epoch`,
      [ABANDONED_AFTER / 1_000],
    );
    for (const { id, onboarding_state: state, upload_epoch: epoch } of rows) {
      if (state === 'PROCESSING') await this.#process(id, epoch);
      else
        await this.#setBack(
          id,
          epoch,
          new RequestError(400, 'vnf-package.cut-off', 'the upload was cut off: upload the package again'),
        );
    }
  }

  /** Waits for what is being processed. */
  async idle(): Promise<void> {
    await Promise.all(this.#working);
  }

  async #begin(id: string): Promise<number> {
    const [row] = await rowsOf<{ upload_epoch: number }>(
      this.database.manager,
      `UPDATE package.vnf_package SET onboarding_state = 'UPLOADING', upload_epoch = upload_epoch + 1, upload_seen_at = clock_timestamp(), failure = NULL
       WHERE id = $1 AND onboarding_state = 'CREATED' RETURNING upload_epoch`,
      [id],
    );
    if (row === undefined)
      throw new RequestError(
        409,
        'vnf-package.not-created',
        `VNF package ${id} has its content already, or is being uploaded: create another one`,
      );
    return row.upload_epoch;
  }

  async *#limited(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let size = 0;
    for await (const part of bytes) {
      size += part.length;
      if (size > this.maxBytes)
        throw new RequestError(
          413,
          'vnf-package.too-large',
          `the package is larger than ${this.maxBytes} bytes, which is the limit here (LCM_MAX_PACKAGE_BYTES)`,
        );
      yield part;
    }
  }

  async #process(id: string, epoch: number): Promise<void> {
    try {
      const row = await this.database.manager.findOneByOrFail(VnfPackageEntity, { id });
      const size = Number(row.size);
      const source: CsarSource = {
        size,
        read: (offset, length) => this.content.read(id, epoch, offset, Math.min(length, size - offset)),
      };
      const csar = await openCsar(source);
      const { model, warnings } = await readVnfPackage(csar);
      const files = await filesOf(csar, () => this.#beat(id, epoch));
      const unregistered = await this.#unregistered(
        model.flavours.flatMap(({ lcmBindings }) => Object.values(lcmBindings).map(({ implementation }) => implementation)),
      );
      await inTransaction(this.database, async (manager) => {
        await this.#set(manager, id, epoch, {
          onboardingState: 'ONBOARDED',
          operationalState: 'ENABLED',
          vnfdId: model.vnfdId,
          model,
          files,
          warnings: [...warnings.map(({ subject, reason }) => `${subject}: ${reason}`), ...unregistered],
        });
        await publishPackage(this.store, manager, { id, vnfdId: model.vnfdId }, 'onboarded');
      });
      await this.content.remove(id, epoch);
      this.log.info('a VNF package was onboarded', { vnfPkgId: id, vnfdId: model.vnfdId });
    } catch (error) {
      await this.#setBack(id, epoch, error);
    }
  }

  async #unregistered(names: readonly string[]): Promise<string[]> {
    const warnings: string[] = [];
    for (const name of new Set(names)) {
      if ((await this.drivers.find(name)) === undefined)
        warnings.push(`the management driver "${name}" is not registered here: an instantiation will be refused until it is`);
    }
    return warnings;
  }

  async #beat(id: string, epoch: number): Promise<void> {
    await this.database.query(
      'UPDATE package.vnf_package SET upload_seen_at = clock_timestamp() WHERE id = $1 AND upload_epoch = $2',
      [id, epoch],
    );
  }

  /** Compare and set on the upload's epoch: a process that was taken for dead writes nothing any more. */
  async #set(manager: EntityManager, id: string, epoch: number, change: Partial<VnfPackageEntity>): Promise<void> {
    const { affected } = await manager.update(VnfPackageEntity, { id, uploadEpoch: epoch }, {
      ...change,
      uploadSeenAt: new Date(),
    } as never);
    if (affected !== 1) throw new RequestError(409, 'vnf-package.taken-over', `another process took VNF package ${id} over`);
  }

  /** @param alongside what else belongs into the transaction that keeps the failure */
  async #setBack(
    id: string,
    epoch: number,
    error: unknown,
    alongside?: (manager: EntityManager, failure: ProblemDetails) => Promise<void>,
  ): Promise<void> {
    const failure = failureOf(error);
    this.log.warn('a VNF package was refused', { vnfPkgId: id, code: failure.code, detail: failure.detail });
    await this.database.transaction(async (manager) => {
      const { affected } = await manager.update(VnfPackageEntity, { id, uploadEpoch: epoch }, {
        onboardingState: 'CREATED',
        failure,
        size: null,
        checksum: null,
      } as never);
      if (affected === 1) await alongside?.(manager, failure);
    });
    await this.content.remove(id);
  }
}

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

/** Every file with its size, SHA-256 and first line, for drivers and checks. */
async function filesOf(csar: Csar, beat: () => Promise<void>): Promise<PackageFile[]> {
  const files: PackageFile[] = [];
  for (const { name, size } of csar.members) {
    const { sha256 } = await csar.digestMember(name, ['sha256']);
    files.push({ path: name, size, sha256, firstLine: size <= 1024 * 1024 ? await firstLineOf(csar, name) : '' });
    await beat();
  }
  return files;
}

async function firstLineOf(csar: Csar, name: string): Promise<string> {
  let head = Buffer.alloc(0);
  for await (const part of csar.openMember(name)) {
    head = Buffer.concat([head, part as Buffer]);
    if (head.length >= FIRST_LINE_BYTES) break;
  }
  const [first = '', second = ''] = head.toString('utf8').split('\n', 2);
  const line = first.startsWith('#!') ? second : first;
  return isBinary(line) ? '' : line.trim().slice(0, 200);
}

/** Control characters or bytes that are no UTF-8: no line of a text. */
const isBinary = (line: string): boolean =>
  Buffer.from(line).some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0d) || line.includes('\u{fffd}');
