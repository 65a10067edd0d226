import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { fileOfForm } from './form-file.js';

const B = 'xXx7MA4YWxk';
const FILE = 'Content-Disposition: form-data; name="file"; filename="p.zip"\r\nContent-Type: application/zip';
const part = (headers: string, content: Buffer | string) =>
  Buffer.concat([Buffer.from(`--${B}\r\n${headers}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')]);
const form = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from(`--${B}--\r\n`)]);

const TYPE = `multipart/form-data; boundary=${B}`;

async function fileIn(bytes: Buffer, step = bytes.length, type = TYPE): Promise<Buffer> {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += step) yield await Promise.resolve(bytes.subarray(at, at + step));
  }
  const parts: Uint8Array[] = [];
  for await (const piece of fileOfForm(pieces(), type)) parts.push(piece);
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
    ['with much that is no part', Buffer.concat([Buffer.alloc(1_100_000), form(part(FILE, 'a'))]), /stand outside its file/],
    [
      'with a long part that nothing names',
      form(part('a: b', randomBytes(1_100_000)), part(FILE, 'a')),
      /stand outside its file/,
    ],
    ['with endless headers', Buffer.from(`--${B}\r\n${'x'.repeat(70_000)}`), /headers of a part/],
    ['with a great many parts', form(...Array.from({ length: 40 }, () => part('a: b', ''))), /more than 32 parts/],
  ])('is refused %s', async (_, bytes, message) => {
    await expect(fileIn(bytes, 1_000)).rejects.toMatchObject({ code: 'request.form', message });
  });

  test('has its boundary in its media type', async () => {
    const bytes = form(part(FILE, TRICKY));
    expect(await fileIn(bytes, 64, `multipart/form-data; charset=utf-8; Boundary="${B}"; x=y`)).toEqual(TRICKY);
    await expect(fileIn(bytes, 64, `multipart/form-data; boundary="a b"`)).rejects.toThrow(/ends before its last boundary/);
    for (const none of ['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; x'])
      expect(() => fileOfForm(nothing(), none)).toThrow(/no boundary: let the client make it/);
  });

  test.each([
    'name="vnf_package"; filename="p.zip"',
    'name="file"; filename="C:\\fakepath\\p.zip"',
    'name="file"; filename="../../etc/p.zip"',
    `name="file"; filename="${'ü'.repeat(300)}.zip"`,
    'filename="p.zip"',
  ])('gives its file whatever its part and its file are called: %s', async (names) => {
    expect(await fileIn(form(part(`Content-Disposition: form-data; ${names}`, TRICKY)), 100)).toEqual(TRICKY);
  });

  test('holds a few kilobytes of it at a time, however slowly it is read', async () => {
    const piece = Buffer.alloc(16_384, 'x');
    let sent = 0;
    async function* pieces() {
      yield Buffer.from(`--${B}\r\n${FILE}\r\n\r\n`);
      for (; sent < 8 * 2 ** 20; sent += piece.length) yield await Promise.resolve(piece);
      yield Buffer.from(`\r\n--${B}--\r\n`);
    }
    let read = 0;
    let held = 0;
    for await (const bytes of fileOfForm(pieces(), TYPE)) {
      read += bytes.length;
      held = Math.max(held, sent - read);
      if (read % (8 * piece.length) === 0) await new Promise(setImmediate);
    }
    expect(read).toBe(8 * 2 ** 20);
    expect(held).toBeLessThan(2 ** 18);
  });

  test('asks for nothing more, and tells the sender, when nobody reads on', async () => {
    let left = false;
    async function* pieces() {
      try {
        yield Buffer.from(`--${B}\r\n${FILE}\r\n\r\n`);
        for (;;) yield await Promise.resolve(Buffer.alloc(16_384));
      } finally {
        left = true;
      }
    }
    for await (const bytes of fileOfForm(pieces(), TYPE)) if (bytes.length > 0) break;
    await new Promise(setImmediate);
    expect(left).toBe(true);
  });

  test('ends with the error of a connection that is cut', async () => {
    async function* pieces() {
      yield await Promise.resolve(Buffer.from(`--${B}\r\n${FILE}\r\n\r\nabc`));
      throw new Error('aborted');
    }
    await expect(async () => {
      for await (const bytes of fileOfForm(pieces(), TYPE)) expect(bytes.length).toBeGreaterThan(0);
    }).rejects.toThrow('aborted');
  });

  test('has the part "file" without a file name only while it is short', async () => {
    const bare = (content: Buffer) => form(part('Content-Disposition: form-data; name=file', content));
    expect(await fileIn(bare(TRICKY), 7)).toEqual(TRICKY);
    await expect(fileIn(bare(randomBytes(70_000)), 1_000)).rejects.toThrow(/names no file.*send it with a filename/);
  });
});

/** The bytes of a form that nobody reads. */
async function* nothing(): AsyncGenerator<Uint8Array> {
  yield* await Promise.resolve([]);
}
