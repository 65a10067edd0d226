import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundlePrograms } from '../bundle.js';
import { KUBEADM_ROWS, kubeadmAnswer } from '../testing/kubeadm-refusals.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windlass-standin-'));
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'kubeadm.cjs'), (await bundlePrograms()).kubeadm);
  await writeFile(join(folder, 'kubeadm.version'), 'v1.34.4\n');
});
afterAll(() => rm(folder, { recursive: true }));

describe('the stand-in for kubeadm says what the real one says (tests/kubernetes asks that)', () => {
  it.each(KUBEADM_ROWS)('of $what', async (row) => {
    const { status, text } = await kubeadmAnswer([process.execPath, join(folder, 'kubeadm.cjs')], row);
    expect(text).toMatch(row.says);
    expect(status, text).toBe(row.status);
  });
});
