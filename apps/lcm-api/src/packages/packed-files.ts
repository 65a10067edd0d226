import type { PackageFile } from '@windlass/mgmt-driver';
import type { Csar } from '@windlass/vnf-package';

/** Text members are read this far for their first line. */
const FIRST_LINE_BYTES = 4_096;

/** Every file of a package with its size, SHA-256 and first line, for drivers and checks. */
export async function packedFiles(csar: Csar): Promise<PackageFile[]> {
  const files: PackageFile[] = [];
  for (const { name, size } of csar.members) {
    const { sha256 } = await csar.digestMember(name, ['sha256']);
    files.push({ path: name, size, sha256, firstLine: size <= 1024 * 1024 ? await firstLineOf(csar, name) : '' });
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
