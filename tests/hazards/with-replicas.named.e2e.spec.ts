import { seconds } from '@windlass/foundation';
import { replicasOfEach } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Load } from '../support/load.js';
import { instantiateRequest, Rig, tellToStop } from './support/rig.js';

const LEASE = seconds(10);
const CUSTOMERS = 6;
/** The time of each stack: services are restarted while stacks are being made. */
const STACK_TAKES = seconds(1);
const MAY_STAND_STILL = LEASE + seconds(2);

let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({ lease: '10s', replicas: { ...replicasOfEach(1), 'saga-coordinator': 3, 'infra-driver': 3 } });
  rig.emulator.faults.add({ kind: 'slow-stack', delayMs: STACK_TAKES, times: 'always' });
});

afterAll(() => rig.close());

describe('every service restarted, one process after the other, under load', () => {
  it(
    'fails no operation and has none stand still for longer than a lease and two seconds',
    { timeout: seconds(900) },
    async () => {
      const before = rig.inventory();
      const round = [
        ['instantiate', await instantiateRequest()],
        ['terminate', { terminationType: 'FORCEFUL' }],
      ] as const;
      const load = new Load(rig, rig.vnfdId, CUSTOMERS, round);
      // The API is one process with one address: requests are refused during its restart, so it is left out.
      const restarted = rig.deployment.processes.filter(({ name }) => name !== 'lcm-api');
      expect(restarted.map(({ name }) => name)).toEqual(expect.arrayContaining(['infra-driver-3', 'saga-coordinator-3']));
      for (const process of restarted) {
        load.during = `${process.name} is restarted`;
        const { pid } = process;
        tellToStop(process);
        await rig.until(`${process.name} to be another process`, () => process.pid !== pid);
        await rig.backAgain(process);
        load.goesOn();
      }
      await load.ended();
      console.log(load.told);
      expect(load.operations.filter(({ stoodStill }) => stoodStill > MAY_STAND_STILL)).toEqual([]);
      expect(load.operations.length).toBeGreaterThan(CUSTOMERS * 4);
      await rig.hasAgain(before);
    },
  );
});
