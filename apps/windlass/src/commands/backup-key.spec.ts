import { chmod, writeFile } from 'node:fs/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { surroundings } from '../surroundings/config.js';
import { backupKey } from './backup-key.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'windlass-backup-key-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = async (text: string, mode = 0o600): Promise<Buffer> => {
  await writeFile(join(folder, 'key'), text);
  await chmod(join(folder, 'key'), mode);
  return backupKey({ ...surroundings({}), calledFrom: folder }, 'key');
};

describe('the key file of backups', () => {
  it('holds 64 hexadecimal digits, from where the command was called', async () => {
    expect(await read(`${'0a'.repeat(32)}\n`)).toEqual(Buffer.alloc(32, 0x0a));
  });

  it.each(['', '00', '0g'.repeat(32), 'ab'.repeat(33)])(
    'is refused with %j in it, which is not told, but how to make one',
    async (text) => {
      const refused = await read(text).catch((error: unknown) => String(error));
      expect(refused).toContain('openssl rand -hex 32');
      if (text.length > 2) expect(refused).not.toContain(text);
    },
  );

  it.each([0o644, 0o604, 0o660])('is refused where others may read or write it (%i)', async (mode) => {
    await expect(read('0a'.repeat(32), mode)).rejects.toThrow('others may read the key file');
  });
});
