import { minutes, seconds, type JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { instantiateRequest, pauseProcess, resumeProcess, stackNameOf, type Rig } from './support/rig.js';

/** How long the stack takes: long enough for the test's requests meanwhile, also on a machine that pauses for some seconds. */
const MIDDLE = seconds(6);

export function cancelled(rigOf: () => Rig): void {
  const cancel = (rig: Rig, operation: string, cancelMode: string) => rig.http.post(`${operation}/cancel`, { cancelMode });

  async function inTheMiddle(): Promise<{ rig: Rig; vnf: string; operation: string; before: string }> {
    const rig = rigOf();
    const before = await rig.settledInventory();
    const vnf = await rig.createVnf();
    rig.slow(vnf, MIDDLE);
    const operation = await rig.instantiate(vnf);
    await rig.stack(vnf, 'CREATE_IN_PROGRESS');
    return { rig, vnf, operation, before };
  }

  async function rolledBack(rig: Rig, operation: string, before: string): Promise<void> {
    await rig.api.accept(`${operation}/rollback`, {});
    expect(await rig.atRest(operation)).toMatchObject({ operationState: 'ROLLED_BACK' });
    await rig.hasAgain(before);
  }

  describe('a cancel', () => {
    it('that is graceful lets the stack be made and then stops', async () => {
      const { rig, operation, before } = await inTheMiddle();
      expect((await cancel(rig, operation, 'GRACEFUL')).status).toBe(202);
      expect(await rig.api.get(operation)).toMatchObject({
        operationState: 'PROCESSING',
        isCancelPending: true,
        cancelMode: 'GRACEFUL',
      });
      expect(await rig.atRest(operation)).toMatchObject({ operationState: 'FAILED_TEMP', isCancelPending: false });
      expect(rig.emulator.inventory().flatMap(({ stacks }) => stacks)).toMatchObject([{ status: 'CREATE_COMPLETE' }]);
      await rolledBack(rig, operation, before);
    });

    it('that is forceful does not wait for the stack: Heat is told to stop', async () => {
      const { rig, vnf, operation, before } = await inTheMiddle();
      rig.slow(vnf, seconds(30), 'always');
      const slow = await rig.createVnf();
      rig.slow(slow, minutes(5));
      const long = await rig.instantiate(slow);
      await rig.stack(slow, 'CREATE_IN_PROGRESS');
      expect((await cancel(rig, long, 'FORCEFUL')).status).toBe(202);
      expect(await rig.atRest(long)).toMatchObject({
        operationState: 'FAILED_TEMP',
        error: { detail: 'cancelled on request (FORCEFUL)' },
      });
      await rig.stack(slow, 'CREATE_FAILED');
      await rig.completed(operation);
      rig.emulator.faults.clear();
      await rig.completed(await rig.terminate(vnf));
      await rolledBack(rig, long, before);
    });

    it('of an operation that no coordinator has seen yet ends it before it begins', async () => {
      const rig = rigOf();
      const before = await rig.settledInventory();
      const vnf = await rig.createVnf();
      const coordinators = rig.all('saga-coordinator');
      coordinators.forEach(pauseProcess);
      try {
        const operation = await rig.instantiate(vnf);
        expect(await rig.api.get(operation)).toMatchObject({ operationState: 'STARTING' });
        expect((await cancel(rig, operation, 'GRACEFUL')).status).toBe(202);
        expect(await rig.api.get(operation)).toMatchObject({ operationState: 'ROLLED_BACK', isCancelPending: false });
      } finally {
        coordinators.forEach(resumeProcess);
      }
      await rig.hasAgain(before);
      await rig.completed(await rig.instantiate(vnf));
      await rig.completed(await rig.terminate(vnf));
    });

    it('right after acceptance ends in the state that fits how far it had come', async () => {
      const rig = rigOf();
      const before = await rig.settledInventory();
      const vnf = await rig.createVnf();
      rig.slow(vnf, seconds(1));
      const operation = await rig.instantiate(vnf);
      expect((await cancel(rig, operation, 'FORCEFUL')).status).toBe(202);
      const { operationState } = await rig.atRest(operation);
      expect(['ROLLED_BACK', 'FAILED_TEMP']).toContain(operationState);
      if (operationState === 'FAILED_TEMP') await rolledBack(rig, operation, before);
    });
  });

  describe('a task that does not fit the state', () => {
    const tasks = async (rig: Rig, operation: string): Promise<Record<string, number>> => {
      const ask = async (task: string) => (await rig.http.post(`${operation}/${task}`, {})).status;
      return {
        retry: await ask('retry'),
        rollback: await ask('rollback'),
        fail: await ask('fail'),
        cancel: (await cancel(rig, operation, 'GRACEFUL')).status,
      };
    };

    it('is refused with 409, and changes nothing', async () => {
      const { rig, vnf, operation, before } = await inTheMiddle();
      const { cancel: mayCancel, ...others } = await tasks(rig, operation);
      expect(others).toEqual({ retry: 409, rollback: 409, fail: 409 });
      expect(mayCancel).toBe(202);
      expect(await rig.atRest(operation)).toMatchObject({ operationState: 'FAILED_TEMP' });
      expect((await cancel(rig, operation, 'GRACEFUL')).status).toBe(409);
      expect((await rig.http.post(`${vnf}/instantiate`, await instantiateRequest())).status).toBe(409);
      await rolledBack(rig, operation, before);
      expect(await tasks(rig, operation)).toEqual({ retry: 409, rollback: 409, fail: 409, cancel: 409 });
    });

    it('so is rolling back a termination whose stack is being deleted, with the reason; a retry ends it', async () => {
      const rig = rigOf();
      const before = await rig.settledInventory();
      const vnf = await rig.createVnf();
      await rig.completed(await rig.instantiate(vnf));
      const fault = {
        kind: 'fail-resource',
        resource: 'VDU1',
        action: 'DELETE',
        reason: 'Nova is away',
        times: 'always',
      } as const;
      const away = rig.emulator.faults.add({ ...fault, stackName: stackNameOf(vnf) });
      const termination = await rig.terminate(vnf);
      const stands = await rig.atRest(termination);
      expect(stands).toMatchObject({ operationState: 'FAILED_TEMP', error: { title: 'Stack delete failed' } });
      const refused = await rig.http.post<JsonObject>(`${termination}/rollback`, {});
      expect(refused.status).toBe(409);
      expect(refused.data.detail).toContain('"delete-stack" has begun, and what it does can\'t be taken back');
      rig.emulator.faults.remove(away);
      await rig.api.task(`${termination}/retry`, {});
      await rig.completed(termination);
      await rig.hasAgain(before);
    });
  });
}
