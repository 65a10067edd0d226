import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deploymentSecrets } from './secrets-file.js';

describe('the secrets of a data folder', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'windlass-secrets-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  it('are their owner’s alone, although the folder was there before and open', async () => {
    const folder = join(dataDir, 'secrets');
    await mkdir(folder);
    await chmod(folder, 0o755);
    await deploymentSecrets(dataDir);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const names = await readdir(folder);
    expect(names).toContain('master-key');
    for (const name of names) expect([name, (await stat(join(folder, name))).mode & 0o777]).toEqual([name, 0o600]);
  });
});
