import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { vnfView, type VnfView } from '../support/vnf-view.js';

let system: System;
let vnf: VnfView;
const [vnfdId, leastOneId] = [randomUUID(), randomUUID()];

/** No node at level 0 of its aspect. */
const noneAtFirst = (vnfd: string): string => vnfd.replace(/(node_initial: .*number_of_instances: )1/, '$10');
const profiled = (vnfd: string): string =>
  noneAtFirst(vnfd).replace(
    /( {4}node:\n.*\n {6}properties:\n)/,
    '$1        vdu_profile: { min_number_of_instances: 1, max_number_of_instances: 4 }\n',
  );
const mayBeEmpty = (top: string): string => top.replace(/(node_group:[\s\S]*?min_size: )1/, '$10');

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  await onboardZip(system.api, scalingPackage(vnfdId, noneAtFirst, mayBeEmpty));
  await onboardZip(system.api, scalingPackage(leastOneId, profiled, mayBeEmpty));
});
afterAll(() => system.close());
afterEach(async () => {
  system.emulator.faults.clear();
  await vnf.remove();
});

const ask = (type: 'SCALE_OUT' | 'SCALE_IN') => system.api.post<JsonObject>(`${vnf.url}/scale`, { type, aspectId: 'worker' });
const scale = async (type: 'SCALE_OUT' | 'SCALE_IN'): Promise<JsonObject> => atRest(system.api, await ask(type));

describe('a VDU whose lowest level is no instance', () => {
  beforeEach(async () => {
    vnf = await vnfView(system, vnfdId, scalingRequest('net0'));
  });

  it('is scaled out of nothing, and in to nothing: no VM is left, and the next one comes', async () => {
    expect(await vnf.ofVdu('node')).toHaveLength(0);
    const without = await vnf.serverIds();
    expect(await scale('SCALE_OUT')).toMatchObject({ operationState: 'COMPLETED' });
    expect(await vnf.ofVdu('node')).toHaveLength(1);
    expect(await scale('SCALE_IN')).toMatchObject({ operationState: 'COMPLETED' });
    expect(await vnf.ofVdu('node')).toHaveLength(0);
    expect((await vnf.serverIds()).sort()).toEqual(without.sort());
    expect(await vnf.levels()).toMatchObject({ worker: 0 });
    expect(await scale('SCALE_OUT')).toMatchObject({ operationState: 'COMPLETED' });
    expect(await vnf.ofVdu('node')).toHaveLength(1);
  });

  it('has none again when the scale out that failed is rolled back', async () => {
    const before = await vnf.serverIds();
    system.emulator.faults.add({
      kind: 'fail-resource',
      resource: 'node',
      action: 'CREATE',
      reason: 'No valid host was found.',
      times: 1,
    });
    const op = await scale('SCALE_OUT');
    expect(op).toMatchObject({ operationState: 'FAILED_TEMP' });
    const path = `/vnflcm/v1/vnf_lcm_op_occs/${String(op.id)}`;
    const answer = await system.api.post<JsonObject>(`${path}/rollback`, {});
    const rolledBack = await atRest(system.api, {
      ...answer,
      headers: { location: new URL(path, 'http://here').href },
    } as typeof answer);
    expect(rolledBack).toMatchObject({ operationState: 'ROLLED_BACK' });
    expect((await vnf.serverIds()).sort()).toEqual(before.sort());
    expect(await vnf.ofVdu('node')).toHaveLength(0);
    expect(await vnf.levels()).toMatchObject({ worker: 0 });
  });
});

describe('a VDU of which the VNFD permits no fewer than one', () => {
  it('is not scaled in to nothing: 400, with the VNFD’s number', async () => {
    vnf = await vnfView(system, leastOneId, scalingRequest('net0'));
    expect(await scale('SCALE_OUT')).toMatchObject({ operationState: 'COMPLETED' });
    const { status, data } = await ask('SCALE_IN');
    expect(status, JSON.stringify(data)).toBe(400);
    expect(JSON.stringify(data)).toContain('min_number_of_instances');
  });
});
