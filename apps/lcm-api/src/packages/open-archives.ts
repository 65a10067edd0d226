import { RequestError } from '@windlass/foundation';
import { PgPackageContent, VnfPackageEntity } from '@windlass/persistence';
import { openCsar, type Csar } from '@windlass/vnf-package';
import type { DataSource } from 'typeorm';

/** Archives whose directory is kept in memory; reading one anew costs a few reads of its end. */
const KEPT = 16;

/** The archives of onboarded packages, opened where they lie in PostgreSQL; the last ones stay open. */
export class OpenArchives {
  readonly #open = new Map<string, Promise<Csar>>();

  constructor(
    private readonly database: DataSource,
    private readonly content: PgPackageContent,
  ) {}

  /**
   * The archive if it was opened here: of an onboarded package nothing changes, so nothing is asked. It may be deleted since, and then gives no bytes.
   */
  opened(id: string): Promise<Csar> | undefined {
    for (const [key, opened] of this.#open) if (key.startsWith(`${id} `)) return opened;
    return undefined;
  }

  /** @throws RequestError 404 `vnf-package.unknown` where there is none, or it is not ONBOARDED; TransientError where PostgreSQL is away */
  async of(id: string): Promise<Csar> {
    // Asked for each time: the row's model and list of files are large, and not wanted.
    const row = await this.database.manager.findOne(VnfPackageEntity, {
      select: { id: true, uploadEpoch: true, size: true },
      where: { id, onboardingState: 'ONBOARDED' },
    });
    if (row === null) throw new RequestError(404, 'vnf-package.unknown', `there is no onboarded VNF package ${id}`);
    const key = `${id} ${row.uploadEpoch}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const size = Number(row.size);
    const opened = openCsar({ size, read: (at, count) => this.content.read(id, row.uploadEpoch, at, count) });
    this.#open.set(key, opened);
    opened.catch(() => this.#open.delete(key));
    const [oldest] = this.#open.keys();
    if (this.#open.size > KEPT && oldest !== undefined) this.#open.delete(oldest);
    return opened;
  }
}
