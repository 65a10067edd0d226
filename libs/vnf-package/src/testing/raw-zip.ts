import { crc32, deflateRawSync } from 'node:zlib';

/** A member of a handmade zip, with every false statement that a zip can make. */
export interface RawMember {
  name: string | Buffer;
  content?: string | Buffer;
  /** Whether the member is stored; deflated by default. */
  stored?: boolean;
  /** Sizes and CRC that the headers announce instead of the true ones. */
  announced?: { size?: number; compressedSize?: number; crc32?: number };
  /** Unix mode with file type: `0o120777` is a symbolic link. */
  unixMode?: number;
  /** Further bits of the general purpose flag: 1 is encryption. */
  flags?: number;
  /** Compression method that the headers announce. */
  method?: number;
  /** Name in the member's own header, where it differs from the directory's. */
  localName?: string;
  /** The index of the member whose bytes this member shares. */
  overlaps?: number;
}

const UTF8 = 0x800;

/** Makes a zip byte by byte: yazl refuses to write what a reader has to refuse. */
export function rawZip(members: readonly RawMember[], options: { announcedMembers?: number } = {}): Buffer {
  const parts: Buffer[] = [];
  const offsets: number[] = [];
  let at = 0;
  const records = members.map((member) => recordOf(member));
  for (const [index, record] of records.entries()) {
    const { overlaps } = members[index]!;
    offsets.push(overlaps === undefined ? at : offsets[overlaps]!);
    if (overlaps !== undefined) continue;
    const local = Buffer.concat([localHeader(record), record.localName, record.data]);
    parts.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(
    records.map((record, index) => Buffer.concat([centralHeader(record, offsets[index]!), record.name])),
  );
  return Buffer.concat([...parts, directory, endOfDirectory(options.announcedMembers ?? members.length, directory.length, at)]);
}

interface ZipRecord {
  name: Buffer;
  localName: Buffer;
  data: Buffer;
  flags: number;
  method: number;
  crc: number;
  compressedSize: number;
  size: number;
  unixMode: number;
}

function recordOf(member: RawMember): ZipRecord {
  const content = Buffer.from(member.content ?? '');
  const data = member.stored === true ? content : deflateRawSync(content);
  const name = Buffer.from(member.name);
  return {
    name,
    localName: member.localName === undefined ? name : Buffer.from(member.localName),
    data,
    flags: UTF8 | (member.flags ?? 0),
    method: member.method ?? (member.stored === true ? 0 : 8),
    crc: member.announced?.crc32 ?? crc32(content),
    compressedSize: member.announced?.compressedSize ?? data.length,
    size: member.announced?.size ?? content.length,
    unixMode: member.unixMode ?? 0o100644,
  };
}

function localHeader(record: ZipRecord): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  writeShared(header, 6, record);
  header.writeUInt16LE(record.localName.length, 26);
  return header;
}

function centralHeader(record: ZipRecord, offset: number): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE((3 << 8) | 20, 4); // made on Unix
  header.writeUInt16LE(20, 6);
  writeShared(header, 8, record);
  header.writeUInt16LE(record.name.length, 28);
  header.writeUInt32LE((record.unixMode << 16) >>> 0, 38);
  header.writeUInt32LE(offset, 42);
  return header;
}

/** Writes the fields from flags to sizes, which both headers have in the same order. */
function writeShared(header: Buffer, at: number, record: ZipRecord): void {
  header.writeUInt16LE(record.flags, at);
  header.writeUInt16LE(record.method, at + 2);
  header.writeUInt16LE(0, at + 4);
  header.writeUInt16LE(0x21, at + 6); // 1980-01-01
  header.writeUInt32LE(record.crc, at + 8);
  header.writeUInt32LE(record.compressedSize, at + 12);
  header.writeUInt32LE(record.size, at + 16);
}

function endOfDirectory(members: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(members, 8);
  end.writeUInt16LE(members, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}
