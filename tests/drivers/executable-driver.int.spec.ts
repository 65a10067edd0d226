import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@windlass/embedded/testing';
import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import type { AxiosResponse } from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, registerVim, startSystem, type System } from '../support/system.js';
import { instantiateNotice, NOTICE, noticeMachines, packageWith, sampleDriver, startExecutable } from './support/exec-system.js';
import { ledgerIn, markingDriver } from './support/marking-driver.js';

const NAME = 'mgmt-drivers-python';
const sample = sampleDriver('python', NAME);
const { hosts, notices } = noticeMachines();
let system: System;
let vnfdId: string;
let driver: Awaited<ReturnType<typeof startExecutable>>;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  driver = await startExecutable(system, sample.path, hosts);
  vnfdId = await packageWith(system, NAME);
});
afterAll(async () => {
  await driver.stop();
  await system.close();
  sample.remove();
});

describe('a driver in Python that "driver exec" runs', () => {
  it('ends an operation with its work done on the VM', async () => {
    const { answer } = await instantiateNotice(system, vnfdId);
    const ended = await atRest(system.api, answer);
    expect(ended, JSON.stringify(ended)).toMatchObject({ operationState: 'COMPLETED' });
    expect([...notices.values()]).toEqual([`${NOTICE}\n`]);
  });

  it('is asked before a request is accepted', async () => {
    const { answer } = await instantiateNotice(system, vnfdId, 'VDU1_CP9');
    expect(answer.status, JSON.stringify(answer.data)).toBe(400);
    expect(answer.data).toMatchObject({
      invalidParams: [
        {
          path: '/additionalParams/notice/ssh_cp_name',
          reason: expect.stringMatching(/no connection point VDU1_CP9; it has .*VDU1_CP1/) as string,
        },
      ],
    });
  });

  it('is rolled back by its undo', async () => {
    notices.clear();
    hosts.on(/script\.sh.*\/notice/, ({ machine }) => ({
      status: 1,
      effect: () => void notices.set(machine.resourceId, 'half a notice'),
    }));
    const { answer } = await instantiateNotice(system, vnfdId);
    const failed = await atRest(system.api, answer);
    expect(failed, JSON.stringify(failed)).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect(notices.size).toBe(1);
    await system.api.post(`/vnflcm/v1/vnf_lcm_op_occs/${String(failed.id)}/rollback`);
    await waitUntil(
      async () => {
        const { data } = await system.api.get<JsonObject>(`/vnflcm/v1/vnf_lcm_op_occs/${String(failed.id)}`);
        return data.operationState === 'ROLLED_BACK' ? true : undefined;
      },
      { for: 'the roll-back', within: seconds(30), every: millis(50) },
    );
    expect(notices.size).toBe(0);
  });
});

describe('a driver that is replaced by its next version', () => {
  const MARKING = 'mgmt-drivers-marking';
  const folder = testFolder();
  let marked: string;
  afterAll(() => folder.remove());

  const ledger = (line: string): Promise<true> =>
    waitUntil(
      (seen) => {
        const lines = ledgerIn(folder.path);
        seen(lines.join(', '));
        return Promise.resolve(lines.includes(line) || undefined);
      },
      { for: `"${line}"`, within: seconds(40), every: millis(20) },
    );
  const operation = async (): Promise<AxiosResponse<JsonObject>> => {
    const path = await createVnf(system.api, marked);
    return system.api.post<JsonObject>(`${path}/instantiate`, scalingRequest('net0'));
  };

  it('goes on in the middle of a plan with the version that made it, plans anew with the next, and goes', async () => {
    const first = await startExecutable(system, markingDriver(folder.path, MARKING, '1.0.0'), hosts);
    marked = await packageWith(system, MARKING);
    const answer = await operation();
    await ledger('1.0.0 mark@1 1 begins');
    const second = await startExecutable(system, markingDriver(folder.path, MARKING, '2.0.0'), hosts, 'two');
    await first.stop();
    await ledger('2.0.0 mark@1 1 begins');
    writeFileSync(join(folder.path, 'go'), '');
    const ended = await atRest(system.api, answer);
    expect(ended, JSON.stringify(ended)).toMatchObject({ operationState: 'COMPLETED' });
    const after = ['1 ends', '2 begins', '2 ends'].map((what) => `2.0.0 mark@1 ${what}`);
    expect(ledgerIn(folder.path)).toEqual(['1.0.0 mark@1 1 begins', '2.0.0 mark@1 1 begins', ...after]);

    expect(await atRest(system.api, await operation())).toMatchObject({ operationState: 'COMPLETED' });
    expect(ledgerIn(folder.path).slice(-1)).toEqual(['2.0.0 mark@2 2 ends']);
    await second.stop();
    const { status } = await system.api.delete(`/windlass/v1/drivers/${MARKING}`);
    expect(status).toBe(204);
    expect((await operation()).status).toBeGreaterThanOrEqual(400);
  });
});
