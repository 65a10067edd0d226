import { seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { instantiateRequest, type Rig } from './support/rig.js';

/** The rig's ENGINE_LIMIT_SERVICE for the infra-driver. */
export const INFRA_LIMIT = 2;

/** The value of a coordinator's metric; 0 when the coordinator shows no such value. */
async function figure(rig: Rig, metric: string, key: string): Promise<number> {
  const url = rig.service('saga-coordinator').healthUrls.get('saga-coordinator') ?? '';
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${metric}{`) && each.includes(`key="${key}"`));
  return line === undefined ? 0 : Number(line.split(' ').at(-1));
}

export function parallelOperations(rigOf: () => Rig): void {
  describe('operations side by side', () => {
    it('on different instances do not wait for each other: a slow stack holds up none, and on its own instance the next gets 409', async () => {
      const rig = rigOf();
      const before = rig.inventory();
      const slow = await rig.createVnf('slow');
      rig.slow(slow, seconds(60));
      const waits = await rig.instantiate(slow);
      await rig.stack(slow, 'CREATE_IN_PROGRESS');
      const others = await Promise.all(['a', 'b', 'c'].map((name) => rig.createVnf(name)));
      for (const vnf of others) await rig.completed(await rig.instantiate(vnf));
      expect((await rig.http.post(`${slow}/instantiate`, await instantiateRequest())).status).toBe(409);
      expect((await rig.http.post(`${slow}/terminate`, { terminationType: 'FORCEFUL' })).status).toBe(409);
      for (const vnf of others) await rig.completed(await rig.terminate(vnf));
      expect(await rig.api.get(waits)).toMatchObject({ operationState: 'PROCESSING' });
      expect((await rig.http.post(`${waits}/cancel`, { cancelMode: 'FORCEFUL' })).status).toBe(202);
      expect(await rig.atRest(waits)).toMatchObject({ operationState: 'FAILED_TEMP' });
      rig.emulator.faults.clear();
      await rig.api.accept(`${waits}/rollback`, {});
      expect(await rig.atRest(waits)).toMatchObject({ operationState: 'ROLLED_BACK' });
      await rig.hasAgain(before);
    });

    it('run no more steps of a service at once than its limit says, over two coordinators, and the metrics tell who runs and who waits', async () => {
      const rig = rigOf();
      const before = rig.inventory();
      await rig.addReplica('saga-coordinator');
      const key = 'service:infra-driver';
      const vnfs = await Promise.all(Array.from({ length: 6 }, (_, n) => rig.createVnf(`limited-${n}`)));
      for (const vnf of vnfs) rig.slow(vnf, seconds(1));
      const operations = await Promise.all(vnfs.map((vnf) => rig.instantiate(vnf)));
      const seen = { running: 0, waiting: 0 };
      let done = false;
      const ended = Promise.all(operations.map((operation) => rig.completed(operation))).finally(() => (done = true));
      await rig.until('all to be completed', async () => {
        seen.running = Math.max(seen.running, await figure(rig, 'windlass_limit_running_steps', key));
        seen.waiting = Math.max(seen.waiting, await figure(rig, 'windlass_limit_waiting_steps', key));
        return done;
      });
      await ended;
      expect(seen.running).toBe(INFRA_LIMIT);
      expect(seen.waiting).toBeGreaterThan(0);
      expect(seen.waiting).toBeLessThanOrEqual(vnfs.length - INFRA_LIMIT);
      await Promise.all(vnfs.map(async (vnf) => rig.completed(await rig.terminate(vnf))));
      await rig.hasAgain(before);
      expect(await figure(rig, 'windlass_limit_running_steps', key)).toBe(0);
    });
  });
}
