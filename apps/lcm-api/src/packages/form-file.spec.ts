import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { boundaryOf, fileOfForm } from './form-file.js';

const B = 'xXx7MA4YWxk';
const FILE = 'Content-Disposition: form-data; name="file"; filename="p.zip"\r\nContent-Type: application/zip';
const part = (headers: string, content: Buffer | string) =>
  Buffer.concat([Buffer.from(`--${B}\r\n${headers}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')]);
const form = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from(`--${B}--\r\n`)]);

async function fileIn(bytes: Buffer, step = bytes.length): Promise<Buffer> {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += step) yield await Promise.resolve(bytes.subarray(at, at + step));
  }
  const parts: Uint8Array[] = [];
  for await (const piece of fileOfForm(pieces(), B)) parts.push(piece);
  return Buffer.concat(parts);
}

/** Bytes with everything in them that looks like a boundary and is none. */
const TRICKY = Buffer.concat([randomBytes(500), Buffer.from(`\r\n--xXx\r\n\r\n--${B.slice(0, -1)}\r\n--`), randomBytes(500)]);

describe('a form with a package', () => {
  test.each([1, 2, 7, 64, 100_000])('gives the bytes of its file, however they are cut: %d at a time', async (step) => {
    expect(await fileIn(form(part(FILE, TRICKY)), step)).toEqual(TRICKY);
  });

  test('may have other parts around the file, and something before the first', async () => {
    const meta = part('Content-Disposition: form-data; name="userDefinedData"', '{"a":1}');
    const bytes = Buffer.concat([Buffer.from('preamble\r\n'), form(meta, part(FILE, TRICKY), meta)]);
    expect(await fileIn(bytes, 13)).toEqual(TRICKY);
    expect(await fileIn(form(part("content-disposition: form-data; filename*=UTF-8''p.zip", 'zip')))).toEqual(Buffer.from('zip'));
    expect(await fileIn(form(part('Content-Disposition: form-data; name=file', 'zip')))).toEqual(Buffer.from('zip'));
    expect(await fileIn(form(part(FILE, '')))).toEqual(Buffer.alloc(0));
  });

  test.each<[string, Buffer, RegExp]>([
    [
      'without a file',
      form(part('Content-Disposition: form-data; name="a"', 'b')),
      /no file: send the package as the part "file"/,
    ],
    ['with two files', form(part(FILE, 'a'), part(FILE, 'b')), /two files/],
    ['that is cut off', part(FILE, TRICKY), /ends before its last boundary/],
    ['that is none', TRICKY, /ends before its last boundary/],
    ['whose file is encoded', form(part(`${FILE}\r\nContent-Transfer-Encoding: base64`, 'UEs=')), /is encoded/],
    [
      'with a long part that is no file',
      form(part('Content-Disposition: form-data; name="a"', randomBytes(70_000))),
      /more than 65536/,
    ],
    ['with endless headers', Buffer.from(`--${B}\r\n${'x'.repeat(70_000)}`), /headers of a part/],
    ['with a great many parts', form(...Array.from({ length: 40 }, () => part('a: b', ''))), /more than 32 parts/],
  ])('is refused %s', async (_, bytes, message) => {
    await expect(fileIn(bytes, 1_000)).rejects.toMatchObject({ code: 'request.form', message });
  });

  test('has its boundary in its media type', () => {
    expect(boundaryOf(`multipart/form-data; boundary=${B}`)).toBe(B);
    expect(boundaryOf(`multipart/form-data; charset=utf-8; Boundary="a b"; x=y`)).toBe('a b');
    expect(() => boundaryOf('multipart/form-data')).toThrow(/no boundary/);
  });
});
