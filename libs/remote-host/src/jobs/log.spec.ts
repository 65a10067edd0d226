import { Secret } from '@windlass/foundation';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Masker } from '../output/masker.js';
import { LogStream, TAIL_BYTES } from './log.js';

const secret = 'hunter2-hunter2';
const streamOf = (passed: string[] = []) =>
  new LogStream('stdout', new Masker([new Secret(secret)]), ({ text }) => void passed.push(text));

describe('the log of a stream', () => {
  it('passes on whole lines, and keeps and counts as if it had come in one piece', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.array(fc.nat(9), { minLength: 1, maxLength: 20 }),
        (printed, sizes) => {
          const passed: string[] = [];
          const log = streamOf(passed);
          const bytes = Buffer.from(printed);
          for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
            const size = (sizes[turn % sizes.length] ?? 0) + 1;
            log.push(bytes.subarray(at, at + size));
            at += size;
          }
          for (const text of passed) expect(text.endsWith('\n')).toBe(true);
          log.end();
          expect(passed.join('')).toBe(printed);
          expect(log.masked()).toBe(printed);
          expect([log.offset, log.dropped]).toEqual([bytes.length, 0]);
        },
      ),
    );
  });

  it('shows no part of a secret, wherever a long line is cut into pieces', () => {
    for (let before = 16_300; before < 16_500; before += 7) {
      const passed: string[] = [];
      const log = streamOf(passed);
      for (const char of [`${'x'.repeat(before)}${secret}`, 'y'.repeat(20_000)]) log.push(Buffer.from(char));
      log.end();
      expect(passed.join('')).toBe(`${'x'.repeat(before)}***${'y'.repeat(20_000)}`);
    }
  });

  it('keeps the last 64 KiB, counts what came before, and shows no half of a secret at the cut', () => {
    const log = streamOf();
    log.push(Buffer.from(`${secret}${'z'.repeat(TAIL_BYTES - 5)}`));
    expect(log.dropped).toBe(secret.length - 5);
    expect(log.tail.length).toBe(TAIL_BYTES);
    expect(log.masked()).not.toContain('nter2');
  });

  it('goes on after what was skipped at the next line', () => {
    const passed: string[] = [];
    const log = streamOf(passed);
    log.push(Buffer.from('one\ntw'));
    log.skip(1000);
    log.push(Buffer.from('er2-hunter2 half\nthree\n'));
    expect(passed).toEqual(['one\n', 'three\n']);
    expect([log.offset, log.dropped]).toEqual([1029, 1006]);
    expect(log.masked()).toBe('three\n');
  });

  it('takes three megabytes of a line without end in single bytes, and holds little of it back', () => {
    let passed = 0;
    let secrets = 0;
    const log = new LogStream('stdout', new Masker([new Secret(secret)]), ({ text }) => {
      passed += text.length;
      if (text.includes(secret.slice(4))) secrets += 1;
    });
    const size = 3 * 1024 * 1024;
    const byte = Buffer.from('x');
    for (let at = 0; at < size; at += 1) log.push(byte);
    expect(size - passed).toBeLessThanOrEqual(16 * 1024 + secret.length);
    log.push(Buffer.from(secret));
    log.end();
    expect([passed, secrets]).toEqual([size + '***'.length, 0]);
    expect([log.offset, log.dropped]).toEqual([size + secret.length, size + secret.length - TAIL_BYTES]);
  }, 30_000);

  it('masks a long line as often as it is long, also where a secret is longer than what is held back', () => {
    const long = 's'.repeat(50_000);
    let masked = 0;
    const masker = new (class extends Masker {
      override mask(text: string): string {
        masked += text.length;
        return super.mask(text);
      }
    })([new Secret(long)]);
    const passed: string[] = [];
    const log = new LogStream('stdout', masker, ({ text }) => void passed.push(text));
    const piece = Buffer.alloc(100, 'x');
    for (let at = 0; at < 10_000; at += 1) log.push(piece);
    log.push(Buffer.from(`${long}end`));
    log.end();
    expect(passed.join('')).toBe(`${'x'.repeat(1_000_000)}***end`);
    expect(masked).toBeLessThan(10 * 1_050_000);
  });

  it('shows no half of a secret where a long line begins with a cut', () => {
    const passed: string[] = [];
    const log = streamOf(passed);
    log.skip(1000);
    log.push(Buffer.from(`${secret.slice(4)}${'y'.repeat(40_000)}`));
    log.push(Buffer.from('\nnext\n'));
    expect(passed.join('')).toBe(`${'y'.repeat(40_000 - 4)}\nnext\n`);
  });
});
