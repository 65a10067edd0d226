import { millis, seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { pauseProcess, resumeProcess, type Rig } from './support/rig.js';

const MANY = 6;

export function pausedCoordinator(rigOf: () => Rig): void {
  describe('one of two coordinators that is paused in the middle of its work, for longer than any lease', () => {
    it('holds up nothing: neither by its row locks, nor by the wake-ups it did not send, nor by the requests it is given; and doubles nothing after', async () => {
      const rig = rigOf();
      const before = rig.inventory();
      const second = await rig.addReplica('saga-coordinator');
      const made = rig.stacksAskedFor();
      const vnfs = await Promise.all(Array.from({ length: MANY }, (_, n) => rig.createVnf(`paused-${n}`)));
      for (const vnf of vnfs) rig.slow(vnf, seconds(0.5));
      const operations = await Promise.all(vnfs.map((vnf) => rig.instantiate(vnf)));
      await rig.until('the first stack', () => rig.stacksAskedFor() > made);
      pauseProcess(second);
      try {
        await Promise.all(operations.map((operation) => rig.completed(operation)));
      } finally {
        resumeProcess(second);
      }
      await second.ready(seconds(60));
      await rig.quiet(millis(500));
      expect(rig.stacksAskedFor() - made).toBe(MANY);
      await Promise.all(vnfs.map(async (vnf) => rig.completed(await rig.terminate(vnf))));
      await rig.hasAgain(before);
    });
  });
}
