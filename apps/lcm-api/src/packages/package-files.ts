import { RequestError, TransientError } from '@windlass/foundation';
import {
  KnownKeys,
  packageAad,
  publicKey,
  seal,
  type MessagingLog,
  type PackagePartReply,
  type PackagePartRequest,
} from '@windlass/messaging';
import { PgPackageContent, VnfPackageEntity } from '@windlass/persistence';
import { openCsar, type Csar } from '@windlass/vnf-package';
import type { DataSource } from 'typeorm';

/** Archives whose directory is kept in memory; reading one anew costs a few reads of its end. */
const KEPT = 16;

/** Files of onboarded packages, in parts, for workers: sealed to their enrolled keys, since a script may hold a secret. */
export class PackageFiles {
  readonly #open = new Map<string, Promise<Csar>>();

  constructor(
    private readonly database: DataSource,
    private readonly content: PgPackageContent,
    private readonly keys: KnownKeys,
    private readonly log: MessagingLog,
  ) {}

  /** @throws TransientError for a key that is not enrolled; RequestError 404 for an unknown package; PackageError `csar.member-absent` */
  async part({ service, keyId, length, ...place }: PackagePartRequest): Promise<PackagePartReply> {
    const key = await this.keys.of(service, keyId);
    if (typeof key === 'string') {
      this.log.warn('a file of a package was refused to a key', { service, keyId, vnfPkgId: place.vnfPkgId, reason: key });
      throw new TransientError('enrolment.not-enrolled', `key ${keyId} of ${service} may read no package: ${key}`);
    }
    const { vnfPkgId, path, offset } = place;
    const csar = await this.#csar(vnfPkgId);
    const { size } = csar.member(path);
    const parts: Buffer[] = [];
    if (offset < size)
      for await (const part of csar.openMember(path, { start: offset, end: Math.min(size, offset + length) }))
        parts.push(part as Buffer);
    return { sealed: seal(publicKey(key.publicKey), Buffer.concat(parts), packageAad(place, size)), size };
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
