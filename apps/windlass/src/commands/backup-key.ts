import { RequestError } from '@windlass/foundation';
import { isExposed } from '@windlass/service-kit/plain';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Surroundings } from '../surroundings/config.js';

const MAKE_ONE = 'make one with (umask 077; openssl rand -hex 32 >FILE), and keep a copy where the backups are not';

/**
 * The key that backups are sealed with: 64 hexadecimal digits in a file that its owner alone can read.
 * @throws RequestError 400 `backup.key`
 */
export async function backupKey({ calledFrom }: Surroundings, file: string): Promise<Buffer> {
  const path = resolve(calledFrom, file);
  const stats = await stat(path);
  if (isExposed(stats))
    throw new RequestError(
      400,
      'backup.key',
      `others may read the key file ${path} (mode ${(stats.mode & 0o777).toString(8)}): make it 0600, or 0640 where root owns it, and the key anew if it was seen`,
    );
  const text = (await readFile(path, 'utf8')).trim();
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new RequestError(400, 'backup.key', `the key file ${path} does not hold 64 hexadecimal digits: ${MAKE_ONE}`);
  return Buffer.from(text, 'hex');
}
