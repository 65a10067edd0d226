import { Secret } from '@windlass/foundation';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Masker } from '../masker.js';
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
});
