import { millis, minutes, seconds, waitUntil } from '@windlass/foundation';
import { limitsByPrefix, ONE_PLACE } from '@windlass/saga';
import type { AxiosResponse } from 'axios';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

vi.setConfig({ testTimeout: 240_000 });

/** Steps at once, of a VIM and of a service; so many more wait for stacks. */
const LIMIT = 2;
const WAITING = 5;

let system: System;
let vnfdId: unknown;
beforeAll(async () => {
  const limitOf = limitsByPrefix({ vim: LIMIT, service: LIMIT, ...ONE_PLACE });
  // A wait is told of after a tenth of a lease, and a worker hears of a cancel after a third.
  system = await startSystem({ policy: { lease: seconds(6), limitOf } });
  await registerVim(system);
  vnfdId = (await onboard(system.api, 'simple-vm')).vnfdId;
});
afterAll(() => system.close());

const accepted = async (): Promise<AxiosResponse<unknown>> => {
  const request = await sampleRequest('instantiate-simple-vm.json', 'net0');
  return system.api.post(`${await createVnf(system.api, vnfdId)}/instantiate`, request);
};
const made = async (): Promise<void> => {
  const ended = await atRest(system.api, await accepted(), minutes(1));
  expect(ended, JSON.stringify(ended)).toMatchObject({ operationState: 'COMPLETED' });
};
const stacks = (): string[] => system.emulator.inventory().flatMap((project) => project.stacks.map(({ status }) => status));
const inProgress = (): number => stacks().filter((status) => status === 'CREATE_IN_PROGRESS').length;

/** What the record says of the steps that wait for a stack. */
const waits = (): Promise<{ epoch: number; told: boolean; owner: string }[]> =>
  system.database.query(
    `SELECT epoch, owner, waiting_epoch IS NOT DISTINCT FROM epoch AS told FROM lcm.step WHERE action = 'create-stack' AND state = 'running' ORDER BY operation_id`,
  );
const allTold = (): Promise<unknown> =>
  waitUntil(
    async (seen) => {
      const found = await waits();
      seen(JSON.stringify(found));
      return (found.length === WAITING && found.every(({ told }) => told)) || undefined;
    },
    { for: 'all to wait without a place', within: minutes(1), every: millis(50) },
  );

describe('steps that wait for their stacks, more than every limit has places', () => {
  it('hold none of them: all stacks are asked for, others are made meanwhile, and a worker or coordinator that goes changes nothing', async () => {
    system.emulator.faults.add({ kind: 'slow-stack', delayMs: 3_600_000, times: WAITING });
    const waiting: AxiosResponse<unknown>[] = [];
    for (let n = 0; n < WAITING; n++) waiting.push(await accepted());
    await allTold();
    expect(inProgress()).toBe(WAITING);

    await made();
    expect(inProgress()).toBe(WAITING);

    await system.replaceInfra();
    await allTold();
    await system.replaceCoordinator();
    await made();
    expect((await waits()).map(({ epoch, told }) => ({ epoch, told }))).toEqual(
      Array.from({ length: WAITING }, () => ({ epoch: 2, told: true })),
    );
    // Taken up, none was asked for twice.
    expect(stacks()).toHaveLength(WAITING + 2);

    const [one] = waiting as [AxiosResponse<unknown>];
    const path = new URL(String(one.headers.location)).pathname;
    expect((await system.api.post(`${path}/cancel`, { cancelMode: 'FORCEFUL' })).status).toBe(202);
    expect(await atRest(system.api, one, minutes(1))).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect(inProgress()).toBe(WAITING - 1);
  });
});
