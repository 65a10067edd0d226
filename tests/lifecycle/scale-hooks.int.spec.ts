import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';
import { vnfView, type VnfView } from '../support/vnf-view.js';

const DRIVER = 'mgmt-drivers-test';
const HOOKS = ['scale_start', 'scale_end', 'modify_information_start', 'modify_information_end'];
const vnfdId = randomUUID();
let system: System;
let driver: TestDriver;
let vnf: VnfView;

/** The package with a driver bound to the hooks of scaling and modification. */
const withHooks = (vnfd: string): string => {
  const bindings = HOOKS.map((hook) => `          ${hook}: { implementation: ${DRIVER} }\n`).join('');
  return vnfd.replace('\n    VDU1:', `\n      interfaces:\n        Vnflcm:\n${bindings}    VDU1:`);
};

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  driver = await startTestDriver(system, DRIVER);
  await onboardZip(system.api, scalingPackage(vnfdId, withHooks));
  vnf = await vnfView(system, vnfdId, scalingRequest('net0'));
});
afterAll(async () => {
  await vnf.remove();
  await driver.stop();
  await system.close();
});

const scale = async (type: 'SCALE_OUT' | 'SCALE_IN', aspectId: string): Promise<JsonObject> =>
  atRest(system.api, await system.api.post(`${vnf.url}/scale`, { type, aspectId }));
const affected = ({ hook, affectedVnfcs }: HookContext) => ({
  hook,
  affected: affectedVnfcs.map(({ changeType, vnfc }) => `${changeType} ${vnfc.vduId}`).sort(),
});
const since = (before: number): HookContext[] => driver.told.slice(before);

describe('the driver of a VNF', () => {
  it('is told at scale_end of a scale out who has come', async () => {
    const before = driver.told.length;
    const op = await scale('SCALE_OUT', 'pair');
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    const [start, end] = since(before);
    expect([start, end].map((each) => affected(each!))).toEqual([
      { hook: 'scale_start', affected: [] },
      { hook: 'scale_end', affected: ['ADDED db', 'ADDED db', 'ADDED web'] },
    ]);
    expect(start?.vnfcs).toHaveLength(4);
    expect(end?.vnfcs).toHaveLength(7);
    expect(end?.vnfcs).toEqual(expect.arrayContaining(end?.affectedVnfcs.map(({ vnfc }) => vnfc) ?? []));
    expect(end?.affectedVnfcs[0]?.vnfc.cps[0]?.addresses).toHaveLength(1);
  });

  it('is told at scale_start of a scale in who will leave, while they are still there, and those leave', async () => {
    const before = driver.told.length;
    const op = await scale('SCALE_IN', 'pair');
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    const [start, end] = since(before);
    expect(affected(start!)).toEqual({ hook: 'scale_start', affected: ['REMOVED db', 'REMOVED db', 'REMOVED web'] });
    const leaving = start?.affectedVnfcs.map(({ vnfc }) => vnfc.id).sort() ?? [];
    expect(start?.vnfcs.map(({ id }) => id)).toEqual(expect.arrayContaining(leaving));
    expect(end?.affectedVnfcs.map(({ vnfc }) => vnfc.id).sort()).toEqual(leaving);
    expect(end?.vnfcs).toHaveLength(4);
    const { affectedVnfcs } = op.resourceChanges as { affectedVnfcs: { id: string; changeType: string }[] };
    expect(affectedVnfcs.map(({ id }) => id).sort()).toEqual(leaving);
  });

  it('is asked around a modification, which is published after both hooks', async () => {
    const before = driver.told.length;
    const op = await atRest(system.api, await system.api.patch(vnf.url, { vnfInstanceName: 'renamed' }));
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    expect(since(before).map(({ hook, vnfInstanceName }) => [hook, vnfInstanceName === 'renamed'])).toEqual([
      ['modify_information_start', false],
      ['modify_information_end', false],
    ]);
    expect(await vnf.show()).toMatchObject({ vnfInstanceName: 'renamed' });
  });
});
