import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Awaited, Gathered } from './gathered.js';

const cut = (bytes: Buffer, sizes: readonly number[]): Buffer[] => {
  const pieces: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = (sizes[turn % sizes.length] ?? 0) + 1;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
};
const sizes = fc.array(fc.nat(9), { minLength: 1, maxLength: 20 });

describe('what is gathered', () => {
  it('is the first of what came, however it was cut', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3_000 }), sizes, fc.nat(3_000), (said, pieces, limit) => {
        const gathered = new Gathered(limit);
        for (const piece of cut(Buffer.from(said), pieces)) gathered.push(piece);
        expect(gathered.bytes()).toEqual(Buffer.from(said.subarray(0, limit)));
        expect([gathered.length, gathered.truncated]).toEqual([Math.min(said.length, limit), said.length > limit]);
      }),
    );
  });

  it('takes a megabyte in single bytes, and keeps none of the packets that they came in', () => {
    const gathered = new Gathered(4 * 1024 * 1024);
    const packets = new Set<ArrayBufferLike>();
    for (let at = 0; at < 1024 * 1024; at += 1) {
      const packet = Buffer.alloc(1, at % 251);
      packets.add(packet.buffer);
      gathered.push(packet);
    }
    const bytes = gathered.bytes();
    expect([bytes.length, bytes[250], bytes[251], bytes[1024 * 1024 - 1]]).toEqual([
      1024 * 1024,
      250,
      0,
      (1024 * 1024 - 1) % 251,
    ]);
    expect(packets.has(bytes.buffer)).toBe(false);
    expect(bytes.buffer.byteLength).toBeLessThanOrEqual(2 * 1024 * 1024);
  }, 30_000);
});

describe('a word that is waited for', () => {
  it('is found where it comes first, however what comes is cut', () => {
    const noise = fc.array(fc.constantFrom('a', 'b', 'ab', 'aba', 'x'), { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(noise, noise, sizes, (before, after, pieces) => {
        const said = `${before}abab!${after}`;
        const awaited = new Awaited('abab!');
        let rest: string | undefined;
        for (const piece of cut(Buffer.from(said), pieces)) {
          if (rest === undefined) rest = awaited.restAfter(piece)?.toString();
          else rest += piece.toString();
        }
        expect(rest).toBe(said.slice(said.indexOf('abab!') + 5));
      }),
    );
  });

  it('is looked for once only: two megabytes in single bytes are no matter', () => {
    const awaited = new Awaited('windlass-ready-0123456789');
    const byte = Buffer.from('w');
    let found = 0;
    for (let at = 0; at < 2 * 1024 * 1024; at += 1) if (awaited.restAfter(byte) !== undefined) found += 1;
    expect(found).toBe(0);
    expect(awaited.restAfter(Buffer.from('windlass-ready-0123456789rest'))?.toString()).toBe('rest');
  }, 60_000);
});
