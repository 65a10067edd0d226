import type { JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { stackNameOf, type Rig } from './support/rig.js';

const REASON = 'No valid host was found. There are not enough hosts available.';

export function failingCreate(rigOf: () => Rig): void {
  /** An instantiation at FAILED_TEMP because the VIM could not make the server. */
  async function failed(): Promise<{ rig: Rig; vnf: string; operation: string; before: string }> {
    const rig = rigOf();
    const vnf = await rig.createVnf();
    const before = await rig.settledInventory();
    rig.emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', stackName: stackNameOf(vnf), reason: REASON, times: 1 });
    const operation = await rig.instantiate(vnf);
    const ended = await rig.atRest(operation);
    expect(ended).toMatchObject({ operationState: 'FAILED_TEMP', error: { status: 502, title: 'Stack create failed' } });
    expect((ended.error as JsonObject).detail).toContain(`VDU1 (OS::Nova::Server): ResourceInError`);
    expect((ended.error as JsonObject).detail).toContain(REASON);
    return { rig, vnf, operation, before };
  }

  describe('a server that the VIM can’t make', () => {
    it('stops the instantiation with the resource’s own reason, and rolling back leaves the VIM as it was', async () => {
      const { rig, vnf, operation, before } = await failed();
      await rig.api.accept(`${operation}/rollback`, {});
      expect(await rig.atRest(operation)).toMatchObject({ operationState: 'ROLLED_BACK' });
      await rig.hasAgain(before);
      expect(await rig.api.get(vnf)).toMatchObject({ instantiationState: 'NOT_INSTANTIATED' });
      await rig.api.delete(vnf);
    });

    it('is made by a retry once the VIM can, and what the first attempt left is gone', async () => {
      const { rig, vnf, operation, before } = await failed();
      await rig.api.task(`${operation}/retry`, {});
      expect(await rig.completed(operation)).not.toHaveProperty('error');
      expect(rig.emulator.inventory().flatMap(({ servers }) => servers)).toHaveLength(1);
      await rig.completed(await rig.terminate(vnf));
      await rig.hasAgain(before);
    });

    it('may be given up: the instance is not instantiated, and the next instantiation clears what was left', async () => {
      const { rig, vnf, operation, before } = await failed();
      const answer = await rig.http.post<JsonObject>(`${operation}/fail`, {});
      expect([answer.status, answer.data.operationState]).toEqual([200, 'FAILED']);
      expect(await rig.api.get(vnf)).toMatchObject({ instantiationState: 'NOT_INSTANTIATED' });
      await rig.completed(await rig.instantiate(vnf));
      expect(rig.emulator.inventory().flatMap(({ stacks }) => stacks)).toMatchObject([{ status: 'CREATE_COMPLETE' }]);
      await rig.completed(await rig.terminate(vnf));
      await rig.hasAgain(before);
    });
  });
}
