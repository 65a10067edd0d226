import { RequestError } from '@windlass/foundation';
import { inTransaction, rowsOf } from '@windlass/persistence';
import type { DataSource, EntityManager } from 'typeorm';
import { lockProject } from '../quotas/project-quotas.js';
import { takenOver } from './uploads.js';

/** Takes room for the given total of bytes of an upload. Does nothing where the upload has taken as much already. */
export type TakeRoom = (bytes: number) => Promise<void>;

/**
 * Room within the limit of bytes that the packages of a project may take together. An upload's share stands on its package's row before its bytes are
 * stored, so that concurrent uploads, on any replicas, share what is left.
 */
export class UploadRoom {
  constructor(
    private readonly database: DataSource,
    /** How many bytes; any number where it is undefined. */
    private readonly most: number | undefined,
  ) {}

  /** For one upload. What it returns throws RequestError 413 `vnf-package.no-room`, 409 `vnf-package.taken-over`. */
  of(id: string, epoch: number): TakeRoom {
    const { most } = this;
    let taken = 0;
    return async (bytes) => {
      if (most === undefined || bytes <= taken) return;
      await inTransaction(this.database, (manager) => take(manager, { id, epoch, bytes }, most));
      taken = bytes;
    };
  }
}

async function take(
  manager: EntityManager,
  { id, epoch, bytes }: { id: string; epoch: number; bytes: number },
  most: number,
): Promise<void> {
  const [mine] = await rowsOf<{ tenant: string }>(manager, 'SELECT tenant FROM package.vnf_package WHERE id = $1', [id]);
  if (mine === undefined) throw takenOver(id);
  await lockProject(manager, 'packageBytes', mine.tenant);
  const [others] = await rowsOf<{ bytes: string }>(
    manager,
    'SELECT coalesce(sum(coalesce(size, upload_bytes)), 0) AS bytes FROM package.vnf_package WHERE tenant = $1 AND id <> $2',
    [mine.tenant, id],
  );
  const kept = Number(others?.bytes);
  if (kept + bytes > most)
    throw new RequestError(
      413,
      'vnf-package.no-room',
      `the other VNF packages of the project take ${kept} bytes, and with this one all of them may take ${most} (LCM_PACKAGE_BYTES_PER_PROJECT): delete those that nobody needs any more, and upload it again`,
    );
  const updated = await rowsOf(
    manager,
    'UPDATE package.vnf_package SET upload_bytes = $3 WHERE id = $1 AND upload_epoch = $2 RETURNING id',
    [id, epoch, bytes],
  );
  if (updated.length === 0) throw takenOver(id);
}
