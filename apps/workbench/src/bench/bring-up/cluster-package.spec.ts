import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildCsar, openCsar, readVnfPackage } from '@windlass/vnf-package';
import { expect, it } from 'vitest';
import { writeClusterPackage } from './cluster-package.js';

const HOME = resolve(import.meta.dirname, '../../../../..');

it('the sample with other numbers of workers is a package that can be onboarded, with so many in VNFD and template', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-bring-up-'));
  try {
    await writeClusterPackage(HOME, { masters: 1, workers: 100 }, join(folder, 'package'));
    await buildCsar(join(folder, 'package'), join(folder, 'package.zip'));
    const csar = await openCsar(join(folder, 'package.zip'));
    const { model } = await readVnfPackage(csar);
    await csar.close();
    const simple = model.flavours.find(({ id }) => id === 'simple');
    expect(JSON.stringify(simple)).toContain('102');
    expect(await readFile(join(folder, 'package/BaseHOT/simple/simple_hot_top.yaml'), 'utf8')).toMatch(/desired_capacity: 100/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
