import { describe, expect, it } from 'vitest';
import { killHard, type Rig } from './support/rig.js';

const MANY = 20;

export function twoCoordinators(rigOf: () => Rig): void {
  describe('two coordinators', () => {
    it(`carry ${MANY} instantiations at once, one of the coordinators killed on the way: all complete, each stack made once`, async () => {
      const rig = rigOf();
      const before = await rig.settledInventory();
      const second = await rig.addReplica('saga-coordinator');
      const made = rig.stacksAskedFor();
      const vnfs = await Promise.all(Array.from({ length: MANY }, (_, n) => rig.createVnf(`many-${n}`)));
      const operations = await Promise.all(vnfs.map((vnf) => rig.instantiate(vnf)));
      await rig.until('the first stacks', () => rig.stacksAskedFor() - made > MANY / 4);
      killHard(second);
      await Promise.all(operations.map((operation) => rig.completed(operation)));
      expect(rig.stacksAskedFor() - made).toBe(MANY);
      await Promise.all(vnfs.map(async (vnf) => rig.completed(await rig.terminate(vnf))));
      await rig.hasAgain(before);
    });
  });
}
