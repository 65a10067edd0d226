import { RequestError } from '@windlass/foundation';
import type { PackageReadReply, PackageReadRequest } from '@windlass/messaging';
import { PgPackageContent, VnfPackageEntity } from '@windlass/persistence';
import { openCsar, type Csar } from '@windlass/vnf-package';
import type { DataSource } from 'typeorm';

/** Archives whose directory is kept in memory; reading one anew costs a few reads of its end. */
const KEPT = 16;

/** Files of onboarded packages, in parts, for other services. */
export class PackageFiles {
  readonly #open = new Map<string, Promise<Csar>>();

  constructor(
    private readonly database: DataSource,
    private readonly content: PgPackageContent,
  ) {}

  /** @throws RequestError 404 for an unknown package; PackageError `csar.member-absent` */
  async read({ vnfPkgId, path, offset, length }: PackageReadRequest): Promise<PackageReadReply> {
    const csar = await this.#csar(vnfPkgId);
    const { size } = csar.member(path);
    if (offset >= size) return { bytes: '', size };
    const parts: Buffer[] = [];
    for await (const part of csar.openMember(path, { start: offset, end: Math.min(size, offset + length) }))
      parts.push(part as Buffer);
    return { bytes: Buffer.concat(parts).toString('base64'), size };
  }

  async #csar(id: string): Promise<Csar> {
    const row = await this.database.manager.findOneBy(VnfPackageEntity, { id, onboardingState: 'ONBOARDED' });
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
