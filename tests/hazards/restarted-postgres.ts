import { seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import type { Rig } from './support/rig.js';

export function restartedPostgres(rigOf: () => Rig): void {
  describe('an operation under which PostgreSQL restarts', () => {
    it.each(['kill', 'stop'] as const)('completes after a %s, and no service has to be restarted', async (how) => {
      const rig = rigOf();
      const before = rig.inventory();
      const made = rig.stacksMade();
      const pids = () => rig.deployment.processes.map(({ pid }) => pid);
      const processes = pids();
      const vnf = await rig.createVnf();
      rig.slow(vnf, seconds(1), 'always');
      const instantiation = await rig.instantiate(vnf);
      await rig.stack(vnf, 'CREATE_IN_PROGRESS');
      await rig.postgres[how]();
      expect((await rig.http.get('/vnflcm/v1/vnf_lcm_op_occs')).status).toBeGreaterThanOrEqual(500);
      await rig.startPostgresAgain();
      await rig.completed(instantiation);

      const termination = await rig.terminate(vnf);
      await rig.stack(vnf, 'DELETE_IN_PROGRESS');
      await rig.postgres[how]();
      await rig.startPostgresAgain();
      await rig.completed(termination);
      expect(rig.stacksMade() - made).toBe(1);
      await rig.hasAgain(before);
      expect(pids()).toEqual(processes);
    });
  });
}
