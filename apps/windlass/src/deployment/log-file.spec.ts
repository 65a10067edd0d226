import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LogFile } from './log-file.js';

describe('a log file', () => {
  it('is ours alone, and is written on where it ended', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'windlass-log-'));
    try {
      const path = join(folder, 'service.log');
      for (const line of ['one\n', 'two\n']) {
        const log = new LogFile(path);
        log.end(line);
        await once(log, 'finish');
      }
      expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
      expect(statSync(path).mode & 0o777).toBe(0o600);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('goes on taking what is said when the disk is full: nobody who speaks into it waits or dies', async () => {
    const log = new LogFile('/dev/full');
    const speaker = Readable.from(Array.from({ length: 200 }, () => Buffer.alloc(10_000)));
    speaker.pipe(log);
    await once(log, 'finish');
    expect(log.errored).toBeNull();
  });
});
