import { TransientError } from '@windlass/foundation';
import {
  archivedAad,
  KnownKeys,
  packageAad,
  publicKey,
  seal,
  type ArchivedPartReply,
  type MessagingLog,
  type PackagePartReply,
  type PackagePartRequest,
  type PackagePlace,
  type PublicKey,
} from '@windlass/messaging';
import type { Csar } from '@windlass/vnf-package';
import type { OpenArchives } from './open-archives.js';

/** Parts of files of onboarded packages, for workers. They are sealed to the workers' enrolled keys, because a script may hold a secret. */
export class PackageFiles {
  constructor(
    private readonly archives: OpenArchives,
    private readonly keys: KnownKeys,
    private readonly log: MessagingLog,
  ) {}

  /**
   * A part of a file's content, for workers of an older release. A deflated file is inflated from its beginning each time.
   * @throws TransientError for a key that is not enrolled; RequestError 404 for an unknown package; PackageError `csar.member-absent`
   */
  async part({ service, keyId, length, ...place }: PackagePartRequest): Promise<PackagePartReply> {
    const key = await this.#keyOf(service, keyId, place);
    const { vnfPkgId, path, offset } = place;
    const csar = await this.archives.of(vnfPkgId);
    const { size } = csar.member(path);
    const parts: Buffer[] = [];
    if (offset < size)
      for await (const part of csar.openMember(path, { start: offset, end: Math.min(size, offset + length) }))
        parts.push(part as Buffer);
    return { sealed: seal(key, Buffer.concat(parts), packageAad(place, size)), size };
  }

  /** A part of a file as it is stored in the archive, not inflated. Nothing is kept for the next part. @throws as {@link part} */
  async archivedPart({ service, keyId, length, ...place }: PackagePartRequest): Promise<ArchivedPartReply> {
    const key = await this.#keyOf(service, keyId, place);
    const csar = await (this.archives.opened(place.vnfPkgId) ?? this.archives.of(place.vnfPkgId));
    const { size, compressedSize: archivedSize, deflated, crc32 } = csar.member(place.path);
    const file = { size, archivedSize, deflated, crc32 };
    const bytes = await this.#archivedBytes(csar, place, Math.min(length, Math.max(0, archivedSize - place.offset)));
    return { sealed: seal(key, bytes, archivedAad(place, file)), ...file };
  }

  /** All of them. A package that was deleted since its archive was opened is unknown, as it would be to who opens it now. */
  async #archivedBytes(csar: Csar, { vnfPkgId, path, offset }: PackagePlace, length: number): Promise<Buffer> {
    try {
      const bytes = await csar.archivedBytes(path, offset, length);
      if (bytes.length < length) await this.archives.of(vnfPkgId);
      return bytes;
    } catch (error) {
      await this.archives.of(vnfPkgId);
      throw error;
    }
  }

  async #keyOf(service: string, keyId: string, { vnfPkgId }: PackagePlace): Promise<PublicKey> {
    const key = await this.keys.of(service, keyId);
    if (typeof key !== 'string') return publicKey(key.publicKey);
    this.log.warn('a file of a package was refused to a key', { service, keyId, vnfPkgId, reason: key });
    throw new TransientError('enrolment.not-enrolled', `key ${keyId} of ${service} may read no package: ${key}`);
  }
}
