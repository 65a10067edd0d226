import { describe, expect, it } from 'vitest';
import { FollowParser } from './follow-parser.js';
import { segment } from './segments.js';

describe('a name as a part of a path', () => {
  it('stays itself when it is plain, and can be no other path otherwise', () => {
    expect(segment('6b2d7f0e-join_worker.1')).toBe('6b2d7f0e-join_worker.1');
    const names = [
      '..',
      '.',
      '',
      '.in',
      '.bin',
      'a/b',
      'a b',
      'join worker@1/x',
      '-rf',
      'é',
      '$(id)',
      'x'.repeat(300),
      'x'.repeat(301),
    ];
    const segments = names.map(segment);
    for (const part of segments) expect(part).toMatch(/^[A-Za-z0-9_-][A-Za-z0-9._+-]{0,99}$/);
    expect(new Set(segments).size).toBe(names.length);
  });
});

describe('what a host says while a job is followed', () => {
  it('is understood however it is cut', () => {
    const said = Buffer.from('out 0 6\na\nout \nerr 7 3\n\xff\n.\nstate exited 0 1 2\n', 'latin1');
    for (let size = 1; size <= said.length; size += 1) {
      const logs = { out: '', err: '' };
      const lines: string[] = [];
      let skippedInAll = 0;
      const parser = new FollowParser('u@h:22', {
        log: (stream, skipped, bytes) => {
          logs[stream] += bytes.toString('latin1');
          skippedInAll += skipped;
        },
        line: (words) => void lines.push(words.join(' ')),
      });
      for (let at = 0; at < said.length; at += size) parser.push(said.subarray(at, at + size));
      expect([logs, lines, skippedInAll]).toEqual([{ out: 'a\nout ', err: '\xff\n.' }, ['', '', 'state exited 0 1 2'], 7]);
    }
  });
});
