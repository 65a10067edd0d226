import { createHash } from 'node:crypto';

const ARMOR = '-----BEGIN PGP PUBLIC KEY BLOCK-----';
const PUBLIC_KEY = 6;

/**
 * The fingerprints of the primary keys in an armored file (RFC 4880, versions 4), as `gpg --show-keys` has them: 40 upper-case hexadecimal digits each.
 * @throws RangeError where it is no such file
 */
export function keyFingerprints(text: string): string[] {
  return packetsIn(unarmored(text)).flatMap(({ tag, body }) => {
    if (tag !== PUBLIC_KEY) return [];
    if (body[0] !== 4) throw new RangeError(`a key of version ${String(body[0])}, and only 4 is known`);
    // RFC 4880 12.2: 0x99, the length in two bytes, the packet's body.
    const head = Buffer.from([0x99, body.length >> 8, body.length & 0xff]);
    return [createHash('sha1').update(head).update(body).digest('hex').toUpperCase()];
  });
}

function unarmored(text: string): Buffer {
  const [, block] = text.replaceAll('\r', '').split(`${ARMOR}\n`);
  const [inside] = block?.split('\n-----END PGP PUBLIC KEY BLOCK-----') ?? [];
  if (inside === undefined || inside === block) throw new RangeError('no armored public key');
  // Headers end with an empty line; the checksum is a line that begins with =.
  const lines = inside.slice(inside.startsWith('\n') ? 1 : inside.indexOf('\n\n') + 2).split('\n');
  return Buffer.from(lines.filter((line) => !line.startsWith('=')).join(''), 'base64');
}

interface Packet {
  tag: number;
  body: Buffer;
}

function packetsIn(bytes: Buffer): Packet[] {
  const packets: Packet[] = [];
  for (let at = 0; at < bytes.length;) {
    const first = bytes.readUInt8(at);
    if ((first & 0x80) === 0) throw new RangeError(`no OpenPGP packet at byte ${at}`);
    const isNew = (first & 0x40) !== 0;
    const { length, of } = isNew ? newLength(bytes, at + 1) : oldLength(bytes, at + 1, first & 3);
    const start = at + 1 + of;
    if (start + length > bytes.length) throw new RangeError('it is cut short');
    packets.push({ tag: isNew ? first & 0x3f : (first >> 2) & 0xf, body: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return packets;
}

/** RFC 4880 4.2.2. Keys have no partial lengths. */
function newLength(bytes: Buffer, at: number): { length: number; of: number } {
  const first = bytes[at] ?? 0xff;
  if (first < 192) return { length: first, of: 1 };
  if (first < 224) return { length: ((first - 192) << 8) + (bytes[at + 1] ?? 0) + 192, of: 2 };
  if (first < 255 || at + 5 > bytes.length) throw new RangeError('a packet of a length that is not known');
  return { length: bytes.readUInt32BE(at + 1), of: 5 };
}

/** RFC 4880 4.2.1: one, two or four bytes. */
function oldLength(bytes: Buffer, at: number, type: number): { length: number; of: number } {
  const of = 1 << type;
  if (type === 3 || at + of > bytes.length) throw new RangeError('a packet of a length that is not known');
  return { length: bytes.readUIntBE(at, of), of };
}
