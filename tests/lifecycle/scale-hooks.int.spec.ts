import { randomUUID } from 'node:crypto';
import { millis, seconds, TerminalError, waitUntil, type JsonObject } from '@windlass/foundation';
import { mgmtContracts } from '@windlass/messaging';
import type { HookContext } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, linkTo, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';
import { vnfView, type VnfView } from '../support/vnf-view.js';

const DRIVER = 'mgmt-drivers-test';
const HOOKS = ['scale_start', 'scale_end', 'modify_information_start', 'modify_information_end'];
const vnfdId = randomUUID();
let system: System;
let driver: TestDriver;
let vnf: VnfView;

/** The package with a driver bound to the hooks of scaling and modification, and to one of healing, which it does not have. */
const withHooks = (vnfd: string): string => {
  const bindings = [...HOOKS, 'heal_end'].map((hook) => `          ${hook}: { implementation: ${DRIVER} }\n`).join('');
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

  it('is asked at its scale hooks when the VNF is scaled to a level, and told who comes and who goes', async () => {
    const before = driver.told.length;
    const toLevel = async (instantiationLevelId: string) =>
      atRest(system.api, await system.api.post(`${vnf.url}/scale_to_level`, { instantiationLevelId }));
    expect(await toLevel('wide')).toMatchObject({ operationState: 'COMPLETED' });
    expect(await toLevel('tall')).toMatchObject({ operationState: 'COMPLETED' });
    expect(since(before).map(affected)).toEqual([
      { hook: 'scale_start', affected: [] },
      { hook: 'scale_end', affected: ['ADDED db', 'ADDED db', 'ADDED node', 'ADDED node', 'ADDED web'] },
      { hook: 'scale_start', affected: ['REMOVED node', 'REMOVED node'] },
      { hook: 'scale_end', affected: ['ADDED db', 'ADDED db', 'ADDED web', 'REMOVED node', 'REMOVED node'] },
    ]);
    expect(since(before)[2]?.request).toEqual({ instantiationLevelId: 'tall' });
    expect(await toLevel('small')).toMatchObject({ operationState: 'COMPLETED' });
  });

  it('is asked at hooks of scaling to a level alone where its VNFD binds one, and refuses what it does not have', async () => {
    const ownId = randomUUID();
    const own = (vnfd: string): string =>
      withHooks(vnfd).replace(
        '        Vnflcm:\n',
        `        Vnflcm:\n          scale_to_level_end: { implementation: ${DRIVER} }\n`,
      );
    await onboardZip(system.api, scalingPackage(ownId, own));
    const other = await vnfView(system, ownId, scalingRequest('net0'));
    const refused = await system.api.post<JsonObject>(`${other.url}/scale_to_level`, { instantiationLevelId: 'wide' });
    expect(refused).toMatchObject({ status: 409, data: { code: 'driver.no-hook' } });
    expect(refused.data.detail).toContain('binds scale_to_level_end to');
    await other.remove();
  });

  it('has failed in its hook: the occurrence tells what was touched so far, and once it is rolled back that there is nothing', async () => {
    const before = driver.told.length;
    const inHook = () => since(before).at(-1)?.hook === 'scale_end';
    driver.before = () => (inHook() ? Promise.reject(new TerminalError('test.refused', 'not today')) : Promise.resolve());
    const accepted = await system.api.post(`${vnf.url}/scale`, { type: 'SCALE_OUT', aspectId: 'pair' });
    const path = new URL(String(accepted.headers.location)).pathname;
    const op = await atRest(system.api, accepted);
    driver.before = () => Promise.resolve();
    expect(op.operationState, JSON.stringify(op)).toBe('FAILED_TEMP');
    const { affectedVnfcs } = op.resourceChanges as { affectedVnfcs: { vduId: string; changeType: string }[] };
    expect(affectedVnfcs.map(({ changeType, vduId }) => `${changeType} ${vduId}`).sort()).toEqual([
      'ADDED db',
      'ADDED db',
      'ADDED web',
    ]);
    await system.api.post(`${path}/rollback`, {});
    const rolled = await waitUntil(
      async () => {
        const { data } = await system.api.get<JsonObject>(path);
        return data.operationState === 'ROLLED_BACK' ? data : undefined;
      },
      { for: 'the roll-back', within: seconds(30), every: millis(50) },
    );
    expect(rolled).not.toHaveProperty('resourceChanges');
  });

  it('is whose plan is run, although somebody else on NATS is faster with another', async () => {
    const { plan } = mgmtContracts(DRIVER);
    // Both hooks' plans would fail: nobody has this action.
    const step = { kind: 'step', id: 's', action: 'steal', version: 1, service: 'infra-driver', input: {} };
    const reply = { v: 1, id: randomUUID(), type: 'mgmt.plan.reply', time: new Date().toISOString(), data: { root: step } };
    const thief = await linkTo(system, 'thief');
    let stolen = 0;
    thief.connection.subscribe(plan.subject, {
      callback: (_error, request) => {
        stolen += 1;
        request.respond(Buffer.from(JSON.stringify(reply)));
      },
    });
    await thief.flushed();
    // The first round trip brings it the request, the second takes its answer to the server.
    driver.before = async () => {
      await thief.flushed();
      await thief.flushed();
    };
    try {
      const op = await scale('SCALE_OUT', 'pair');
      expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
      expect(stolen).toBe(2);
    } finally {
      driver.before = () => Promise.resolve();
      await thief.close();
    }
  });

  it('is not told of an operation whose hook it does not have: the request is refused, before anything is touched', async () => {
    const before = driver.told.length;
    const refused = await system.api.post<JsonObject>(`${vnf.url}/heal`, { additionalParams: { all: true } });
    expect(refused).toMatchObject({ status: 409, data: { title: expect.any(String) as string } });
    expect(refused.data.detail).toBe(
      `HEAL is not possible for this VNF: its VNFD binds heal_end to the management driver ${DRIVER}, which has no such hook in its version 0.1.0`,
    );
    expect(driver.told).toHaveLength(before);
    const { data } = await system.api.get<JsonObject[]>('/vnflcm/v1/vnf_lcm_op_occs?filter=(eq,operation,HEAL)');
    expect(data).toEqual([]);
  });

  it('is listed, and needed: once an operator has removed it, requests that its hooks are bound to are refused', async () => {
    const { data: listed } = await system.api.get<JsonObject[]>('/windlass/v1/drivers');
    expect(listed).toMatchObject([{ name: DRIVER, service: DRIVER, version: '0.1.0', contract: 2, hooks: HOOKS }]);
    const { data: keys } = await system.api.get<JsonObject[]>('/windlass/v1/enrolled_keys');
    expect(keys.find(({ id }) => id === listed[0]?.announcedBy)).toMatchObject({ service: DRIVER });
    const path = `/windlass/v1/drivers/${DRIVER}`;
    expect((await system.api.get<JsonObject>(path)).data).toMatchObject({ name: DRIVER, parameters: {}, actions: [] });

    expect((await system.api.delete(path)).status).toBe(204);
    expect((await system.api.delete(path)).status).toBe(404);
    expect((await system.api.get(path)).status).toBe(404);
    const refused = await system.api.post(`${vnf.url}/scale`, { type: 'SCALE_OUT', aspectId: 'pair' });
    expect(refused).toMatchObject({
      status: 400,
      data: { detail: expect.stringContaining(`"${DRIVER}", which is not registered`) as string },
    });

    // Its service is started again.
    await driver.stop();
    driver = await startTestDriver(system, DRIVER);
    expect((await system.api.get(path)).status).toBe(200);
  });

  it('is not asked when version 1 of the contract announced it, and the answer says what to do', async () => {
    const { database, api } = system;
    const description = `description - 'contract'`;
    await database.query(`UPDATE lcm.driver SET description = ${description} WHERE name = $1`, [DRIVER]);
    try {
      const refused = await api.post(`${vnf.url}/scale`, { type: 'SCALE_OUT', aspectId: 'pair' });
      const detail = expect.stringContaining('docs/contracts/mgmt-driver.md') as string;
      expect(refused).toMatchObject({ status: 503, data: { detail } });
      expect((await api.get<JsonObject[]>('/windlass/v1/drivers')).data).toMatchObject([{ name: DRIVER, contract: 1 }]);
    } finally {
      await database.query(`UPDATE lcm.driver SET description = description || '{"contract": 2}' WHERE name = $1`, [DRIVER]);
    }
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
