import { seconds, type JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { killHard, stackNameOf, type Rig } from './support/rig.js';

/** As the rig sets ENGINE_MAX_LOSSES. */
export const MAX_LOSSES = 3;

export function poison(rigOf: () => Rig): void {
  describe('a step that ends its worker each time', () => {
    /** Kills whichever process of the infra-driver has claimed the step, again and again until the operation rests. Returns how often. */
    async function killWhoeverTakes(rig: Rig, operation: string, stepId: string): Promise<number> {
      const killed = new Set<string>();
      await rig.until('the operation to be set aside', async () => {
        const owner = await rig.ownerOf(operation, stepId);
        const process = rig.all('infra-driver').find(({ pid }) => pid !== undefined && owner.includes(`:${pid}-`));
        if (process !== undefined && !killed.has(owner)) {
          killHard(process);
          killed.add(owner);
        }
        return (await rig.api.get(operation)).operationState === 'FAILED_TEMP';
      });
      return killed.size;
    }

    it(`is set aside after ${MAX_LOSSES} of them with that reason, and the queue moves on; a retry gives it as many again`, async () => {
      const rig = rigOf();
      const before = rig.inventory();
      await rig.addReplica('infra-driver');
      const vnf = await rig.createVnf('poisoned');
      // Whoever works on it is held where it asks for the stack, until it dies.
      const path = `/stacks/${stackNameOf(vnf)}$`;
      rig.emulator.faults.add({ kind: 'hang', method: 'GET', path, forMs: seconds(60), times: 'always' });
      const operation = await rig.instantiate(vnf);
      expect(await killWhoeverTakes(rig, operation, 'create-stack')).toBe(MAX_LOSSES);
      const reason = `set aside: ${MAX_LOSSES} workers of infra-driver were lost while they ran it`;
      const stands = await rig.atRest(operation);
      expect(stands).toMatchObject({ operationState: 'FAILED_TEMP', error: { detail: reason } });
      const step = (
        await rig.api.get<(JsonObject & { id: string })[]>(`/windlass/v1/operations/${String(stands.id)}/steps`)
      ).find(({ id }) => id === 'create-stack');
      expect(step).toMatchObject({ state: 'failed', error: { code: 'step.poison', detail: reason } });

      // The queue moves on, and the operation stands meanwhile.
      const other = await rig.createVnf('healthy');
      await rig.completed(await rig.instantiate(other));
      expect(await rig.api.get(operation)).toMatchObject({ operationState: 'FAILED_TEMP' });

      await rig.api.task(`${operation}/retry`, {});
      expect(await killWhoeverTakes(rig, operation, 'create-stack')).toBe(MAX_LOSSES);
      rig.emulator.faults.clear();
      await rig.api.task(`${operation}/retry`, {});
      await rig.completed(operation);
      for (const each of [vnf, other]) await rig.completed(await rig.terminate(each));
      expect(rig.inventory()).toBe(before);
      for (const service of rig.all('infra-driver')) await rig.backAgain(service);
    });
  });
}
