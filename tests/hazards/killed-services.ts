import { seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { killHard, type Rig } from './support/rig.js';

const SERVICES = ['saga-coordinator', 'infra-driver', 'lcm-api', 'vim-registry'];

/** How long the VIM takes: the kill comes in the middle, and the killed worker's lease ends after the VIM is done. */
const MIDDLE = seconds(1.5);

export function killedServices(rigOf: () => Rig): void {
  describe.each(SERVICES)('kill -9 of %s in the middle of an operation', (name) => {
    it('does not keep it from completing by itself: one stack made, and nothing left in the end', async () => {
      const rig = rigOf();
      const before = rig.inventory();
      const made = rig.stacksMade();
      const service = rig.service(name);
      const vnf = await rig.createVnf();
      rig.slow(vnf, MIDDLE);
      const instantiation = await rig.instantiate(vnf);
      await rig.stack(vnf, 'CREATE_IN_PROGRESS');
      const pid = service.pid;
      killHard(service);
      await rig.completed(instantiation);
      expect(rig.stacksMade() - made).toBe(1);

      await rig.backAgain(service);
      expect(service.pid).not.toBe(pid);
      rig.slow(vnf, MIDDLE);
      const termination = await rig.terminate(vnf);
      await rig.stack(vnf, 'DELETE_IN_PROGRESS');
      killHard(service);
      await rig.completed(termination);
      await rig.hasAgain(before);
      expect(rig.stacksMade() - made).toBe(1);
      await rig.backAgain(service);
    });
  });
}
