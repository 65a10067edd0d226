import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedCache } from '../../debian/config.js';
import { realKubernetes } from '../../kubernetes/index.js';
import { KUBEADM_ROWS, kubeadmAnswer } from '../testing/kubeadm-refusals.js';

let folder: string;

beforeAll(async () => {
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const { binaries } = await realKubernetes({ cacheDir: sharedCache(), log });
  folder = await mkdtemp(join(tmpdir(), 'windlass-real-'));
  await chmod(folder, 0o755);
  // Out of root's cache, where the user who asks can't look.
  await copyFile(join(binaries, 'v1.34.4/kubeadm'), join(folder, 'kubeadm'));
  await chmod(join(folder, 'kubeadm'), 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

describe('a real kubeadm 1.34.4', () => {
  it.each(KUBEADM_ROWS)('says so of $what, as its stand-in does', async (row) => {
    const { status, text } = await kubeadmAnswer([join(folder, 'kubeadm')], row);
    expect(text).toMatch(row.says);
    expect(status, text).toBe(row.status);
  });
});
