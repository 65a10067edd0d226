import { millis, seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { pauseProcess, resumeProcess, stackNameOf, type Rig } from './support/rig.js';

/** When the VIM answers: later than the test pauses the worker, also on a busy machine. */
const ANSWERED_AFTER = seconds(5);

export function pausedWorker(rigOf: () => Rig): void {
  describe('a worker that is paused for longer than its lease', () => {
    it('makes nothing when it goes on: another has made the stack meanwhile, and it has been deleted again', async () => {
      const rig = rigOf();
      const before = rig.inventory();
      const replicas = [rig.service('infra-driver'), await rig.addReplica('infra-driver')];
      const [asked, made] = [rig.stacksAskedFor(), rig.stacksMade()];
      const vnf = await rig.createVnf();
      // A first attempt asks for the stack at once. A later attempt looks for the stack before, and the worker is paused while it waits for the answer to the look.
      rig.emulator.faults.add({ kind: 'status', status: 503, method: 'POST', path: '/stacks$', times: 1 });
      const path = `/stacks/${stackNameOf(vnf)}$`;
      const last = rig.emulator.faults.add({ kind: 'hang', method: 'GET', path, forMs: ANSWERED_AFTER, times: 1 });
      const instantiation = await rig.instantiate(vnf);
      await rig.until(`the worker to look for the stack`, () => !rig.emulator.faults.list().some(({ id }) => id === last));
      const askedAt = performance.now();
      const owner = await rig.ownerOf(instantiation, 'create-stack');
      const paused = replicas.find(({ pid }) => owner.includes(`:${String(pid)}-`));
      if (paused === undefined) throw new Error(`${owner} is none of ${replicas.map(({ pid }) => pid).join(', ')}`);
      pauseProcess(paused);
      try {
        await rig.completed(instantiation);
        await rig.completed(await rig.terminate(vnf));
        expect(rig.stacksMade() - made).toBe(1);
      } finally {
        resumeProcess(paused);
      }
      await paused.ready(seconds(30));
      await rig.until('the worker to have its answer', () => performance.now() - askedAt > ANSWERED_AFTER);
      await rig.quiet(millis(500));
      expect(rig.stacksAskedFor() - asked).toBe(2);
      expect(rig.stacksMade() - made).toBe(1);
      await rig.hasAgain(before);
    });
  });
}
