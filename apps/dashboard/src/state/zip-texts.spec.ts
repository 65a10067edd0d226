import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { textsInZip } from './zip-texts.js';

/** A zip with these members; the way of packing is a number that tests may get wrong. */
function zip(members: Record<string, string>, method = 8): Uint8Array<ArrayBuffer> {
  const files: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(members)) {
    const packed = method === 8 ? deflateRawSync(text) : Buffer.from(text);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    files.push(local, Buffer.from(name), packed);
    entries.push(entry, Buffer.from(name));
    at += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(at, 16);
  return new Uint8Array(Buffer.concat([...files, ...entries, end]));
}
const all = (): boolean => true;

describe('texts in a zip', () => {
  it.each([0, 8])('are read, packed by method %i', async (method) => {
    const texts = await textsInZip(zip({ 'a.yaml': 'a: ä', 'b.png': 'x' }, method), (name) => name.endsWith('.yaml'));
    expect([...texts]).toEqual([['a.yaml', 'a: ä']]);
  });

  it('are left out where they are longer than a megabyte, or packed in another way', async () => {
    expect((await textsInZip(zip({ a: 'a'.repeat(2_000_000), b: 'b' }), all)).size).toBe(1);
    expect((await textsInZip(zip({ a: 'a' }, 14), all)).size).toBe(0);
  });

  it('are none of what is no zip, is cut off, or leads beyond its end', async () => {
    await expect(textsInZip(new Uint8Array(10), all)).rejects.toThrow('no zip');
    const whole = zip({ a: 'a' });
    await expect(textsInZip(whole.slice(0, -1), all)).rejects.toThrow('no zip');
    const astray = whole.slice();
    new DataView(astray.buffer).setUint32(astray.length - 6, 0xffff0000, true);
    expect((await textsInZip(astray, all)).size).toBe(0);
  });
});
