import { isUtf8 } from 'node:buffer';
import { PackageError } from '../refusals/package-error.js';

/** A NUL or half a surrogate pair: neither PostgreSQL's text nor its jsonb can hold them. */
export const UNSTORABLE = /\0|\p{Surrogate}/u;

/**
 * A small member that is a text, without the mark of its byte order.
 * @throws PackageError `text.not-utf8`, `text.nul` naming the line; and as the archive's `readMember`
 */
export async function memberText(
  archive: { readMember(name: string, maxBytes: number, signal?: AbortSignal): Promise<Buffer> },
  name: string,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<string> {
  return textOf(await archive.readMember(name, maxBytes, signal), name);
}

/** The text that those bytes are. @throws PackageError `text.not-utf8`, `text.nul` */
export function textOf(bytes: Buffer, file: string): string {
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (utf16) throw new PackageError('text.not-utf8', 'is UTF-16, by its first two bytes: save it as UTF-8', { member: file });
  if (!isUtf8(bytes)) throw new PackageError('text.not-utf8', notUtf8(bytes), { member: file });
  refuseNul(bytes, file);
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

/**
 * What Heat is given of a file under `get_file`: its text, or its base64 where it is none, in lines of 76 as Heat's own client makes them
 * (python-heatclient, `read_url_content`).
 * @throws PackageError `text.nul`
 */
export function textForHeat(bytes: Buffer, file: string): string {
  if (!isUtf8(bytes)) return bytes.toString('base64').replace(/.{1,76}/g, '$&\n');
  refuseNul(bytes, file);
  return bytes.toString('utf8');
}

function refuseNul(bytes: Buffer, file: string): void {
  const at = bytes.indexOf(0);
  if (at < 0) return;
  const reason = `line ${lineAt(bytes, at)} has a NUL character, which no text here can hold: take it out, or have the file carry its base64`;
  throw new PackageError('text.nul', reason, { member: file });
}

const lineAt = (bytes: Buffer, offset: number): number => bytes.subarray(0, offset).filter((byte) => byte === 0x0a).length + 1;

/** UTF-8 never has a line end within a character, so that the first line that is none can be found by itself. */
function notUtf8(bytes: Buffer): string {
  let start = 0;
  for (let line = 1; ; line += 1) {
    const end = bytes.indexOf(0x0a, start);
    const content = bytes.subarray(start, end < 0 ? bytes.length : end);
    if (!isUtf8(content) || end < 0) {
      const column = Math.max(0, content.toString('utf8').indexOf('\ufffd'));
      const byte = content[Buffer.byteLength(content.toString('utf8').slice(0, column))] ?? 0;
      return `line ${line}, column ${column + 1}: the byte 0x${byte.toString(16)} is no UTF-8. Is it Latin-1? Save the file as UTF-8`;
    }
    start = end + 1;
  }
}
