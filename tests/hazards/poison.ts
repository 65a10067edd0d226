import { seconds, type JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { killHard, stackNameOf, type Rig } from './support/rig.js';

/** The rig's ENGINE_MAX_LOSSES. */
export const MAX_LOSSES = 3;

/** The infra-driver waits 30 s for an answer of the VIM. An attempt that ends so is no loss, and the count begins again: the kill comes before. */
const KILLED_WITHIN = seconds(20);

/** A renewal that is late on a busy machine is a loss, too: then fewer deaths are enough. More are never needed. */
const AS_MANY_DEATHS = [1, 2, MAX_LOSSES];

const REASON = `set aside: ${MAX_LOSSES} workers of infra-driver were lost while they ran it`;

const isSetAside = async (rig: Rig, operation: string): Promise<boolean> =>
  (await rig.api.get(operation)).operationState === 'FAILED_TEMP';

/** Longer than any worker lives here. A request whose worker dies is not served. */
const HELD = { kind: 'hang', forMs: seconds(60) } as const;

/** The VIM holds what first attempts ask for: they ask for their stack without a look. */
const holdFirstAttempts = ({ emulator }: Rig, instances: number): string =>
  emulator.faults.add({ ...HELD, method: 'POST', path: '/stacks$', times: instances });

/** The VIM holds what later attempts ask for: they look for the instance's stack first. */
const holdLooks = ({ emulator }: Rig, vnf: string): string =>
  emulator.faults.add({ ...HELD, method: 'GET', path: `/stacks/${stackNameOf(vnf)}$`, times: 'always' });

export function poison(rigOf: () => Rig): void {
  describe('a step that ends its worker each time', () => {
    it('takes no neighbour along: what ran beside it in its process ends well, it alone is set aside', async () => {
      const rig = rigOf();
      const before = rig.inventory();
      const [poisoned, beside] = [await rig.createVnf('poisoned'), await rig.createVnf('beside')];
      holdFirstAttempts(rig, 2);
      holdLooks(rig, poisoned);
      // The neighbour is still at work whenever both steps have been claimed.
      const held = holdLooks(rig, beside);
      const [operation, neighbour] = [await rig.instantiate(poisoned), await rig.instantiate(beside)];
      let killed = '';
      const ended = { setAside: false };
      for (let losses = 0; losses < MAX_LOSSES; losses++) {
        const lastChance = losses === MAX_LOSSES - 1;
        let claimedAt: number | undefined;
        let owner = '';
        // The time without an owner may be shorter than the time between two looks: the next process may run when the loss is noticed.
        await rig.until('the poison to be claimed anew', async () => {
          // In this order: the owner of the poison stays the same until it is killed.
          owner = await rig.ownerOf(operation, 'create-stack');
          if (owner === '') return (ended.setAside = await isSetAside(rig, operation));
          if (owner === killed) return false;
          claimedAt ??= performance.now();
          // Both in one process: the neighbour may still have a dead process as owner.
          const together = (await rig.ownerOf(neighbour, 'create-stack')) === owner;
          if (lastChance) expect(together).toBe(false);
          return lastChance || together || performance.now() - claimedAt > KILLED_WITHIN;
        });
        // From here on, only the limit on losses holds up the neighbour.
        if (losses === MAX_LOSSES - 2 || ended.setAside) rig.emulator.faults.remove(held);
        if (ended.setAside) break;
        killHard(rig.service('infra-driver'));
        killed = owner;
      }
      await rig.completed(neighbour);
      expect(await rig.atRest(operation)).toMatchObject({ operationState: 'FAILED_TEMP', error: { detail: REASON } });
      rig.emulator.faults.clear();
      await rig.api.task(`${operation}/retry`, {});
      await rig.completed(operation);
      for (const vnf of [poisoned, beside]) await rig.completed(await rig.terminate(vnf));
      await rig.hasAgain(before);
    });

    /** Kills each process of the infra-driver that claims the step, until the operation rests. Returns how many were killed. */
    async function killWhoeverTakes(rig: Rig, operation: string, stepId: string): Promise<number> {
      const killed = new Set<string>();
      await rig.until('the operation to be set aside', async () => {
        const owner = await rig.ownerOf(operation, stepId);
        const process = rig.all('infra-driver').find(({ pid }) => pid !== undefined && owner.includes(`:${pid}-`));
        if (process !== undefined && !killed.has(owner)) {
          killHard(process);
          killed.add(owner);
        }
        return isSetAside(rig, operation);
      });
      return killed.size;
    }

    it(`is set aside after ${MAX_LOSSES} of them with that reason, and the queue moves on; a retry gives it as many again`, async () => {
      const rig = rigOf();
      const before = rig.inventory();
      await rig.addReplica('infra-driver');
      const vnf = await rig.createVnf('poisoned');
      holdFirstAttempts(rig, 1);
      holdLooks(rig, vnf);
      const operation = await rig.instantiate(vnf);
      expect(await killWhoeverTakes(rig, operation, 'create-stack')).toBeOneOf(AS_MANY_DEATHS);
      const stands = await rig.atRest(operation);
      expect(stands).toMatchObject({ operationState: 'FAILED_TEMP', error: { detail: REASON } });
      const step = (
        await rig.api.get<(JsonObject & { id: string })[]>(`/windlass/v1/operations/${String(stands.id)}/steps`)
      ).find(({ id }) => id === 'create-stack');
      expect(step).toMatchObject({ state: 'failed', error: { code: 'step.poison', detail: REASON } });

      // The service's queue moves on while the operation stands.
      const other = await rig.createVnf('healthy');
      await rig.completed(await rig.instantiate(other));
      expect(await rig.api.get(operation)).toMatchObject({ operationState: 'FAILED_TEMP' });

      await rig.api.task(`${operation}/retry`, {});
      expect(await killWhoeverTakes(rig, operation, 'create-stack')).toBeOneOf(AS_MANY_DEATHS);
      rig.emulator.faults.clear();
      await rig.api.task(`${operation}/retry`, {});
      await rig.completed(operation);
      for (const each of [vnf, other]) await rig.completed(await rig.terminate(each));
      await rig.hasAgain(before);
      for (const service of rig.all('infra-driver')) await rig.backAgain(service);
    });
  });
}
