import { seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { killHard, type Rig } from './support/rig.js';

export function everythingKilled(rigOf: () => Rig): void {
  describe('kill -9 of all services, PostgreSQL and NATS at once', () => {
    it.each(['instantiation', 'termination'] as const)('lets an %s go on by itself once they are back', async (which) => {
      const rig = rigOf();
      const before = rig.inventory();
      const made = rig.stacksMade();
      const vnf = await rig.createVnf();
      if (which === 'termination') await rig.completed(await rig.instantiate(vnf));
      rig.slow(vnf, seconds(1.5));
      const operation = await (which === 'termination' ? rig.terminate(vnf) : rig.instantiate(vnf));
      await rig.stack(vnf, which === 'termination' ? 'DELETE_IN_PROGRESS' : 'CREATE_IN_PROGRESS');
      rig.deployment.processes.forEach(killHard);
      await Promise.all([rig.postgres.kill(), rig.nats.kill()]);
      await Promise.all([rig.startPostgresAgain(), rig.startNatsAgain()]);
      await rig.completed(operation);
      if (which === 'instantiation') await rig.completed(await rig.terminate(vnf));
      expect(rig.stacksMade() - made).toBe(1);
      await rig.hasAgain(before);
      for (const service of rig.deployment.processes) await rig.backAgain(service);
    });
  });
}
