import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { desiredCounts, openCsar, readVnfPackage } from '@windlass/vnf-package';
import { describe, expect, it } from 'vitest';
import { CHAOS_DRIVER, ChaosDriver } from '../driver/chaos.driver.js';
import { ASPECT, chaosPackage, membersAt } from './chaos-package.js';

describe('the package of the chaos suite', () => {
  it('is read without a warning, binds the driver to every hook that it has, and scales as the judge counts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'windlass-chaos-package-'));
    const csar = await openCsar(await chaosPackage(folder));
    try {
      const { model, warnings } = await readVnfPackage(csar);
      expect(warnings).toEqual([]);
      const flavour = model.flavours[0]!;
      const { hooks } = new ChaosDriver().describe();
      const bound = Object.entries(flavour.lcmBindings).map(([hook, binding]) => `${hook} ${binding.implementation}`);
      expect(bound.sort()).toEqual(hooks.map((hook) => `${hook} ${CHAOS_DRIVER}`).sort());
      expect(flavour.scalingAspects).toMatchObject([{ id: ASPECT.id, maxScaleLevel: ASPECT.most }]);
      expect(desiredCounts(flavour)).toEqual({ VDU1: membersAt(0) });
      expect(desiredCounts(flavour, { instantiationLevelId: 'three' })).toEqual({ VDU1: membersAt(2) });
    } finally {
      await csar.close();
      await rm(folder, { recursive: true });
    }
  });
});
