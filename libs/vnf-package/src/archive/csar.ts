import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ZipFile as ZipWriter } from 'yazl';
import type { CsarMember } from './csar-member.js';
import { type CsarSource, fileCsarSource } from '../source/csar-source.js';
import { enclosedSource, envelopeFiles, type EnvelopeFiles } from './envelope.js';
import { listMembers, withoutTopFolder, type MemberList } from './list-members.js';
import { archivedBytes, memberBytes, type MemberRange, type OpenMember } from './member-stream.js';
import { csarLimits, describeBytes, type CsarLimitOptions, type CsarLimits } from '../refusals/limits.js';
import { PackageError } from '../refusals/package-error.js';

/** Hash algorithms of SOL004 packages, by Node's names. */
export type DigestAlgorithm = 'sha224' | 'sha256' | 'sha384' | 'sha512';

/** Fixed, so that the same members make the same bytes: DOS time begins here. Local time, because zip keeps local time. */
export const ZIP_EPOCH = new Date(1980, 0, 1);

/** What an uploaded package came in: a zip with the CSAR and its signature. */
export interface Envelope extends EnvelopeFiles {
  readonly archive: Csar;
}

/** An open package: its members by name, each read as a stream. Nothing is ever extracted to a disk or held whole. */
export class Csar {
  readonly #list: MemberList;

  constructor(
    private readonly source: CsarSource,
    readonly limits: CsarLimits,
    list: MemberList,
    /** Of a package that came with its signature beside it. */
    readonly envelope?: Envelope,
  ) {
    this.#list = list;
  }

  /** All files, in the order of the zip's directory. */
  get members(): CsarMember[] {
    return [...this.#list.members.values()].map(({ member }) => member);
  }

  /** Files that a Mac or Windows put into the zip, which are no members. */
  get leftOut(): readonly string[] {
    return this.#list.leftOut;
  }

  /** The folder around everything in the zip, without which its members are named. */
  get topFolder(): string | undefined {
    return this.#list.topFolder;
  }

  has(name: string): boolean {
    return this.#list.members.has(name);
  }

  /** @throws PackageError `csar.member-absent`. */
  member(name: string): CsarMember {
    return this.#find(name).member;
  }

  /**
   * The member's bytes, or a range of them. The stream fails with a PackageError where the content does not hold what the zip
   * announces (`csar.size-mismatch`, `csar.corrupt`), and with a TransientError where the store fails.
   * @throws PackageError `csar.member-absent`.
   */
  openMember(name: string, range: MemberRange = {}): Readable {
    return Readable.from(this.#bytes(name, range), { objectMode: false });
  }

  /**
   * Bytes of a member as they lie in the archive, deflated or not: at most `length` from `offset`, fewer at the end. Costs what it gives, so a
   * large member is read in parts, by anybody, in any order; `provenBytes` makes the member's content of all of them.
   * @throws PackageError `csar.member-absent`, `csar.corrupt`, `csar.malformed`; TransientError `package.source-unreadable`
   */
  async archivedBytes(name: string, offset: number, length: number): Promise<Buffer> {
    return archivedBytes(this.#openOf(name), offset, length);
  }

  /** A member that is known to be small, whole. @throws PackageError `csar.member-too-large` above `maxBytes`. */
  async readMember(name: string, maxBytes: number, signal?: AbortSignal): Promise<Buffer> {
    const { size } = this.member(name);
    if (size > maxBytes) {
      throw new PackageError(
        'csar.member-too-large',
        `is ${describeBytes(size)}; at most ${describeBytes(maxBytes)} are read of such a file`,
        {
          member: name,
        },
      );
    }
    const chunks: Buffer[] = [];
    for await (const chunk of this.#bytes(name, signal === undefined ? {} : { signal })) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** Hex digests of one member, all in one reading; reading it also proves its length and CRC. */
  async digestMember<A extends DigestAlgorithm>(
    name: string,
    algorithms: readonly A[],
    signal?: AbortSignal,
  ): Promise<Record<A, string>> {
    const hashes = algorithms.map((algorithm) => [algorithm, createHash(algorithm)] as const);
    for await (const chunk of this.#bytes(name, signal === undefined ? {} : { signal })) {
      for (const [, hash] of hashes) hash.update(chunk);
    }
    return Object.fromEntries(hashes.map(([algorithm, hash]) => [algorithm, hash.digest('hex')])) as Record<A, string>;
  }

  /** A new zip with some of the members, streamed: what `GET .../vnfd` answers as application/zip (SOL005 9.4.4.3.2). */
  zipOf(names: readonly string[]): Readable {
    const zip = new ZipWriter();
    for (const name of names) {
      const { size } = this.member(name);
      zip.addReadStreamLazy(name, { mtime: ZIP_EPOCH, mode: 0o100_644, size, forceDosTimestamp: true }, (give) =>
        give(undefined, this.openMember(name)),
      );
    }
    const output = Readable.from(zip.outputStream, { objectMode: false });
    zip.on('error', (error: Error) => output.destroy(error));
    zip.end();
    return output;
  }

  /** Gives back what the source holds open, such as a file. */
  async close(): Promise<void> {
    await this.source.close?.();
  }

  #find(name: string) {
    const found = this.#list.members.get(name);
    if (found === undefined) throw new PackageError('csar.member-absent', 'the package has no such member', { member: name });
    return found;
  }

  #openOf(name: string): OpenMember {
    const { member, entry } = this.#find(name);
    return { source: this.source, zip: this.#list.zip, entry, member };
  }

  #bytes(name: string, range: MemberRange): AsyncGenerator<Buffer> {
    return memberBytes(this.#openOf(name), range);
  }
}

async function open(source: CsarSource, limits: CsarLimits, signal?: AbortSignal): Promise<Csar> {
  const list = withoutTopFolder(await listMembers(source, limits, signal));
  const archive = new Csar(source, limits, list);
  const files = envelopeFiles(list);
  if (files === undefined) return archive;
  const enclosed = await enclosedSource(source, list, files);
  return new Csar(enclosed, limits, withoutTopFolder(await listMembers(enclosed, limits, signal)), { ...files, archive });
}

/**
 * Opens a package: reads the zip's directory and checks every member's name, kind and announced size. Cheap: no content is read.
 * Of a zip with a CSAR and its signature (SOL004, option 2) the CSAR is the package; a small one that is deflated is inflated for that. `readVnfPackage` then verifies and reads it; a service that only wants one member of an onboarded package is done here.
 * @param source a path, or random access to the bytes wherever they lie.
 * @throws PackageError `csar.*`, naming the member and the reason.
 */
export async function openCsar(source: CsarSource | string, limits: CsarLimitOptions = {}, signal?: AbortSignal): Promise<Csar> {
  const opened = typeof source === 'string' ? await fileCsarSource(source) : source;
  const effective = csarLimits(limits);
  try {
    return await open(opened, effective, signal);
  } catch (error) {
    if (typeof source === 'string') await opened.close?.();
    throw error;
  }
}
