import { describe, expect, it } from 'vitest';
import { FollowParser } from './follow-parser.js';

const host = 'u@captured:22';

function parserOf(): { parser: FollowParser; logged: () => number; lines: string[] } {
  let bytes = 0;
  const lines: string[] = [];
  const parser = new FollowParser(host, {
    log: (_stream, _skipped, piece) => void (bytes += piece.length),
    line: (words) => void lines.push(words.join(' ')),
  });
  return { parser, logged: () => bytes, lines };
}

/** How many of the pieces were taken before it was too much, and the error. */
function pushed(parser: FollowParser, piece: Buffer, times: number): { taken: number; error: unknown } {
  for (let taken = 0; taken < times; taken += 1) {
    try {
      parser.push(piece);
    } catch (error) {
      return { taken, error };
    }
  }
  return { taken: times, error: undefined };
}

describe('a captured machine that is followed', () => {
  it('ends its own step by a line of 50 MB, of which no more than a few KiB are looked at', () => {
    const chunk = Buffer.alloc(1024, 'x');
    const { taken, error } = pushed(parserOf().parser, chunk, 50 * 1024);
    expect(taken).toBe(4);
    expect(error).toMatchObject({ name: 'TerminalError', code: 'remote.said-too-much' });
    expect((error as Error).message).toContain(host);
    expect(pushed(parserOf().parser, Buffer.from('x'), 1_000_000).taken).toBe(4096);
  });

  it.each(['x', 'NaN', '-1', '1.5', '1e3', 'Infinity', '', '9'.repeat(16), '0x10'])(
    'ends its own step by the size "%s"',
    (size) => {
      for (const line of [`out 0 ${size}\nmore`, `err ${size} 5\nmore`]) {
        const { error } = pushed(parserOf().parser, Buffer.from(line), 1);
        expect(error).toMatchObject({ name: 'TerminalError', code: 'remote.bad-answer' });
        expect((error as Error).message).toContain(host);
      }
    },
  );

  it('may announce nothing, and pieces of which only the first bytes come', () => {
    const { parser, logged, lines } = parserOf();
    parser.push(Buffer.from('out 0 0\nerr 0 0\n.\nout 5 999999999999999\nabc'));
    parser.push(Buffer.alloc(100));
    expect([logged(), lines]).toEqual([103, ['.']]);
  });

  it('is understood in single bytes, however many', () => {
    const { parser, logged, lines } = parserOf();
    const size = 1_000_000;
    for (const byte of Buffer.from(`.\nout 0 ${size}\n`)) parser.push(Buffer.from([byte]));
    const byte = Buffer.from('x');
    for (let at = 0; at < size; at += 1) parser.push(byte);
    parser.push(Buffer.from('gone\n'));
    expect([logged(), lines]).toEqual([size, ['.', 'gone']]);
  }, 30_000);
});
