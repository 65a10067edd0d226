import { randomUUID } from 'node:crypto';
import { TerminalError, type JsonObject } from '@windlass/foundation';
import type { ShownPlan } from '@windlass/lcm-api';
import { OPERATIONS, stepsIn, type PlannedStep } from '@windlass/lifecycle';
import type { HookContext, Vnfc } from '@windlass/mgmt-driver';
import { parallel, sequence, type Plan } from '@windlass/saga';
import type { AxiosResponse } from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';
import { contents, planPath } from './support/plan-of.js';

const DRIVER = 'mgmt-drivers-planned';
const HOOKS = ['instantiate_end', 'scale_start', 'scale_end', 'heal_start', 'heal_end'] as const;
const PASSWORD = 'a-password-of-the-vms';
/** As scripts of clusters have it: what is secret is told by its schema, and masked. */
const parameters: JsonObject = {
  type: 'object',
  properties: { login: { type: 'object', properties: { password: { type: 'string', writeOnly: true } } } },
};

let system: System;
let driver: TestDriver;
let vnfdId: string;
/** What the driver answers now. */
let answer: (context: HookContext) => Plan;

const withHooks = (vnfd: string): string => {
  const bindings = HOOKS.map((hook) => `          ${hook}: { implementation: ${DRIVER} }\n`).join('');
  return vnfd.replace('\n    VDU1:', `\n      interfaces:\n        Vnflcm:\n${bindings}    VDU1:`);
};

const nothing = (): Plan => ({ root: sequence() });

/** A driver that calls everything after addresses, as real ones do. */
const byAddress = ({ vnfcs }: HookContext): Plan => ({
  root: sequence(parallel(vnfcs.map((vnfc) => configure(vnfc))), {
    ...configure(vnfcs[0]!),
    id: 'gather',
    target: 'all of them',
    limits: vnfcs.map(({ resourceId }) => `host:${resourceId}`),
  }),
});

const configure = ({ cps: [cp], resourceId }: Vnfc) => {
  const [address = ''] = cp?.addresses ?? [];
  const input = { password: { $from: 'instantiate-params', at: '/login/password' }, address };
  const limits = [`host:${resourceId}`];
  const id = `configure:node${address.split('.').at(-1) ?? ''}`;
  return { kind: 'step' as const, id, action: 'configure', version: 1, service: DRIVER, target: address, limits, input };
};

const request = { ...scalingRequest('net0'), additionalParams: { login: { password: PASSWORD } } };

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  answer = nothing;
  const actions = [{ name: 'configure', version: 1 }];
  driver = await startTestDriver(system, DRIVER, { hooks: [...HOOKS], actions, parameters, plan: (context) => answer(context) });
  vnfdId = randomUUID();
  await onboardZip(system.api, scalingPackage(vnfdId, withHooks));
});

afterAll(async () => {
  await driver.stop();
  await system.close();
});

async function planned(path: string, body: JsonObject, how: (context: HookContext) => Plan): Promise<ShownPlan> {
  answer = how;
  try {
    const { status, data } = await system.api.post<ShownPlan>(planPath(path), body);
    expect(status, JSON.stringify(data)).toBe(200);
    return data;
  } finally {
    answer = nothing;
  }
}

const below = ({ plan }: ShownPlan, hook: string): PlannedStep[] => stepsIn(plan).filter(({ id }) => id.startsWith(`${hook}/`));
const hookOf = ({ plan }: ShownPlan, hook: string) => stepsIn(plan).find(({ id }) => id === hook)?.hook;

async function instantiated(): Promise<string> {
  const vnf = await createVnf(system.api, vnfdId);
  expect(await atRest(system.api, await system.api.post(`${vnf}/instantiate`, request))).toMatchObject({
    operationState: 'COMPLETED',
  });
  return vnf;
}

describe('what a driver would do', () => {
  it('on VMs that are not there yet is told by their VDUs and numbers: no made-up address is shown, nor a secret', async () => {
    const vnf = await createVnf(system.api, vnfdId);
    const told = driver.told.length;
    const shown = await planned(`${vnf}/instantiate`, request, byAddress);
    expect(shown.vms).toEqual({ toCome: ['VDU1-1', 'web-1', 'db-1', 'node-1'], toGo: [] });
    expect(below(shown, 'instantiate_end').map(({ id, target }) => [id, target])).toEqual([
      ...shown.vms.toCome.map((name) => [`instantiate_end/configure:${name}`, name]),
      ['instantiate_end/gather', 'all of them'],
    ]);
    expect(below(shown, 'instantiate_end').at(-1)?.vms).toEqual(shown.vms.toCome.map((name) => ({ name, isToCome: true })));
    expect(JSON.stringify(shown)).not.toMatch(/198\.1[89]\./);
    const contexts = JSON.stringify(driver.told.slice(told));
    expect(driver.told.length - told).toBe(2);
    expect([contexts, JSON.stringify(shown)].filter((text) => text.includes(PASSWORD))).toEqual([]);
    expect(contexts).toContain('"password":"***"');
  });

  it('where it can’t say before they are there: its reason stands at the hook, without secrets, beside the rest of the plan', async () => {
    const vnf = await createVnf(system.api, vnfdId);
    const shown = await planned(`${vnf}/instantiate`, request, () => {
      throw new TerminalError('test.not-yet', `ask again when ${PASSWORD} has a machine`);
    });
    expect(hookOf(shown, 'instantiate_end')).toEqual({
      driver: DRIVER,
      refusal: { code: 'test.not-yet', detail: 'ask again when *** has a machine' },
    });
    expect(stepsIn(shown.plan).map(({ id }) => id)).toEqual(expect.arrayContaining(['create-stack', 'publish-instance']));
    expect(shown.estimate.isLowerBound).toBe(true);
  });

  it('outside of its bounds is refused as the engine would, and not shown', async () => {
    const vnf = await createVnf(system.api, vnfdId);
    const foreign = { ...configure({ cps: [], resourceId: randomUUID() } as unknown as Vnfc), id: 'x', limits: [] };
    const shown = await planned(`${vnf}/instantiate`, request, () => ({
      root: sequence({ ...foreign, service: 'infra-driver', action: 'delete-stack' }),
    }));
    expect(hookOf(shown, 'instantiate_end')?.refusal?.code).toBe('plan.refused');
    expect(below(shown, 'instantiate_end')).toEqual([]);
  });

  it('to VMs that leave or are replaced is told of those that then do, by the names that they have', async () => {
    const vnf = await instantiated();
    const out = { type: 'SCALE_OUT', aspectId: 'pair' };
    const more = await planned(`${vnf}/scale`, out, byAddress);
    expect(more.vms).toEqual({ toCome: ['web-2', 'db-2', 'db-3'], toGo: [] });
    expect(await atRest(system.api, await system.api.post(`${vnf}/scale`, out))).toMatchObject({ operationState: 'COMPLETED' });
    const told = driver.told.length;
    const shown = await planned(`${vnf}/scale`, { type: 'SCALE_IN', aspectId: 'pair' }, nothing);
    const leaving = (context: HookContext | undefined): string[] =>
      context?.affectedVnfcs.map(({ vnfc }) => vnfc.name).sort() ?? [];
    expect(leaving(driver.told[told])).toHaveLength(3);
    expect([...shown.vms.toGo].sort()).toEqual(leaving(driver.told[told]));
    await atRest(system.api, await system.api.post(`${vnf}/scale`, { type: 'SCALE_IN', aspectId: 'pair' }));
    expect(leaving(driver.told.find(({ hook }, index) => index > told + 1 && hook === 'scale_start'))).toEqual(
      shown.vms.toGo.sort(),
    );
    const { data } = await system.api.get<{ instantiatedVnfInfo: { vnfcResourceInfo: { id: string }[] } }>(vnf);
    const vnfcInstanceId = [data.instantiatedVnfInfo.vnfcResourceInfo[0]!.id];
    const healed = await planned(`${vnf}/heal`, { vnfcInstanceId }, byAddress);
    expect(healed.vms.toCome).toEqual(healed.vms.toGo);
    expect(healed.vms.toGo).toHaveLength(1);
    expect(healed.pointOfNoReturn).toBe('replace-servers');
    // Its address stays, and is known.
    expect(below(healed, 'heal_end')[0]).toMatchObject({
      target: expect.stringMatching(/^\d+\./) as string,
      vms: [{ isToCome: true }],
    });
  });
});

describe('what is refused when it is asked for', () => {
  const patch = { headers: { 'Content-Type': 'application/merge-patch+json' } };
  const bodies: Readonly<Record<string, JsonObject>> = {
    instantiate: request,
    scale: { type: 'SCALE_OUT', aspectId: 'pair' },
    scale_to_level: { instantiationLevelId: 'wide' },
    heal: {},
    operate: { changeStateTo: 'STOPPED' },
    change_ext_conn: { extVirtualLinks: request.extVirtualLinks as never },
    terminate: { terminationType: 'FORCEFUL' },
  };

  /** Both are asked, the plan first: it is the very same refusal, and the plan left nothing behind. */
  async function refusedAlike(
    path: string,
    task: string,
    body: JsonObject,
    headers: Record<string, string> = {},
  ): Promise<number> {
    const send = (at: string): Promise<AxiosResponse<JsonObject>> =>
      task === ''
        ? system.api.patch(at, body, { headers: { ...patch.headers, ...headers } })
        : system.api.post(`${at}/${task}`, body, { headers });
    const before = await contents(system);
    const shown = await send(planPath(path));
    expect(await contents(system)).toEqual(before);
    const asked = await send(path);
    expect([task, shown.status, shown.data]).toEqual([task, asked.status, asked.data]);
    return shown.status;
  }

  it('is refused alike in each state, for what is wrong in it, and while another operation runs', async () => {
    const tasks = OPERATIONS.all.flatMap(({ route }) => (route.method === 'POST' ? [route.task] : []));
    expect(Object.keys(bodies).sort()).toEqual([...tasks].sort());
    const fresh = await createVnf(system.api, vnfdId);
    const nobodys = `/vnflcm/v1/vnf_instances/${randomUUID()}`;
    for (const task of tasks) {
      expect(await refusedAlike(nobodys, task, bodies[task]!)).toBe(404);
      expect(
        await refusedAlike(fresh, task, { nonsense: true, ...(task === 'instantiate' ? {} : bodies[task]) }),
      ).toBeGreaterThanOrEqual(400);
      if (task !== 'instantiate') expect(await refusedAlike(fresh, task, bodies[task]!)).toBe(409);
    }
    expect(await refusedAlike(nobodys, '', { vnfInstanceName: 'x' })).toBe(404);
    expect(await refusedAlike(fresh, '', { vnfPkgId: randomUUID() })).toBe(400);
    expect(await refusedAlike(fresh, '', { vnfInstanceName: 'x' }, { 'If-Match': '"99"' })).toBe(412);
    expect(await refusedAlike(fresh, 'instantiate', { ...request, flavourId: 'none' })).toBe(400);
    const vnf = await instantiated();
    expect(await refusedAlike(vnf, 'instantiate', request)).toBe(409);
    expect(await refusedAlike(vnf, 'scale', { type: 'SCALE_OUT', aspectId: 'pair', numberOfSteps: 9 })).toBe(400);
    expect(await refusedAlike(vnf, 'scale_to_level', { instantiationLevelId: 'none' })).toBe(400);
    expect(await refusedAlike(vnf, 'heal', { vnfcInstanceId: [randomUUID()] })).toBe(400);
    expect(await refusedAlike(vnf, 'operate', { changeStateTo: 'STOPPED', vnfcInstanceId: [randomUUID()] })).toBe(400);
    const none = { extVirtualLinks: [{ id: 'x', resourceId: 'net0', extCps: [{ cpdId: 'none', cpConfig: [] }] }] };
    expect(await refusedAlike(vnf, 'change_ext_conn', none)).toBe(400);
    await system.database.query(`UPDATE lcm.vnf_lcm_op_occ SET operation_state = 'FAILED_TEMP' WHERE vnf_instance_id = $1`, [
      vnf.split('/').at(-1),
    ]);
    for (const task of tasks.filter((each) => each !== 'instantiate'))
      expect(await refusedAlike(vnf, task, bodies[task]!)).toBe(409);
    expect(await refusedAlike(vnf, '', { vnfInstanceName: 'x' })).toBe(409);
  });
});
