import { seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { tellToStop, type Rig } from './support/rig.js';
import { linesLogged } from './support/service-logs.js';

export function gracefulStop(rigOf: () => Rig): void {
  describe('a service that is told to stop', () => {
    it('hands its step to another replica, which goes on at once and not when the lease of a minute ends', async () => {
      const rig = rigOf();
      const before = await rig.settledInventory();
      const replicas = [rig.service('infra-driver'), await rig.addReplica('infra-driver')];
      const made = rig.stacksAskedFor();
      const vnf = await rig.createVnf();
      // The other replica must be seen at work, also on a machine that pauses for some seconds.
      rig.slow(vnf, seconds(8));
      const instantiation = await rig.instantiate(vnf);
      await rig.stack(vnf, 'CREATE_IN_PROGRESS');
      const owner = await rig.ownerOf(instantiation, 'create-stack');
      const leaving = replicas.find(({ pid }) => owner.includes(`:${String(pid)}-`));
      if (leaving === undefined) throw new Error(`${owner} is none of ${replicas.map(({ pid }) => pid).join(', ')}`);
      const began = performance.now();
      tellToStop(leaving);
      await rig.until('another owner', async () => {
        const now = await rig.ownerOf(instantiation, 'create-stack');
        return now !== '' && now !== owner;
      });
      expect(performance.now() - began).toBeLessThan(seconds(40));
      await rig.completed(instantiation);
      expect(rig.stacksAskedFor() - made).toBe(1);
      expect((await rig.steps(instantiation)).find(({ id }) => id === 'create-stack')).toMatchObject({ attempt: 1 });
      const operationId = instantiation.split('/').at(-1);
      const told = (await linesLogged(join(rig.folder, 'data/logs'), 'infra-driver')).filter(
        (line) =>
          line.operationId === operationId && line.stepId === 'create-stack' && String(line.message).startsWith('a step '),
      );
      expect(told.map(({ message, kind, resumed }) => [message, kind ?? null, resumed ?? false]).sort()).toEqual([
        ['a step begins', null, false],
        ['a step begins', null, true],
        ['a step ended', 'done', true],
        ['a step ended', 'released', false],
      ]);
      await rig.completed(await rig.terminate(vnf));
      await rig.hasAgain(before);
    });
  });
}
