import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildCsar, openCsar, readVnfPackage } from '@windlass/vnf-package';
import { expect, it } from 'vitest';
import { writeClusterPackage } from './cluster-package.js';

const HOME = resolve(import.meta.dirname, '../../../../..');

it.each([
  ['simple', 1],
  ['complex', 3],
])(
  'the sample with other numbers of workers in its flavour %s can be onboarded, with so many in VNFD and template',
  async (flavour, masters) => {
    const folder = await mkdtemp(join(tmpdir(), 'windlass-bring-up-'));
    try {
      await writeClusterPackage(HOME, { masters, workers: 100 }, join(folder, 'package'));
      await buildCsar(join(folder, 'package'), join(folder, 'package.zip'));
      const csar = await openCsar(join(folder, 'package.zip'));
      const { model } = await readVnfPackage(csar);
      await csar.close();
      const changed = model.flavours.find(({ id }) => id === flavour);
      expect(JSON.stringify(changed)).toContain('102');
      expect(await readFile(join(folder, `package/BaseHOT/${flavour}/${flavour}_hot_top.yaml`), 'utf8')).toMatch(
        /desired_capacity: 100/,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

it('a number of masters that no flavour has is refused', async () => {
  await expect(writeClusterPackage(HOME, { masters: 2, workers: 2 }, '/nowhere')).rejects.toThrow('1 or 3 was expected');
});
