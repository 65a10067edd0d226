import { randomUUID } from 'node:crypto';
import {
  machineReference,
  overridingLogin,
  paramsAs,
  paramsSource,
  schema,
  type Login,
  type MachineInput,
} from '@windlass/driver-kit';
import type { JsonObject } from '@windlass/foundation';
import { HOOKS, type HookContext, type ValidateReply, type ValidateRequest } from '@windlass/mgmt-driver';
import { parallel, type BoundAction, type Plan } from '@windlass/saga';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { everyAnswer, everyColumn, expectNone } from '../secrets/support/secret-search.js';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { caFingerprint } from '@windlass/persistence';
import { startKubernetesApi } from '../enrolment/support/kubernetes-api.js';
import { registerAsClusterOf } from '../cnf/support/cluster.js';
import { keptSnapshot } from '../vims/support/kept-snapshot.js';
import { atRest, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';
import { startTestWorker, type TestWorker } from '../support/test-worker.js';
import { vnfView, type VnfView } from '../support/vnf-view.js';

const DRIVER = 'mgmt-drivers-told';
const SERVICE = 'told-mgmt';
const vnfdId = randomUUID();

interface Params {
  nodes: Login;
}

const secrets = new Map([
  ['the password of the instantiation', `instantiated-${randomUUID()}`],
  ['the password that a scaling overrides', `scaled-${randomUUID()}`],
  ['a password that is refused', `refused-${randomUUID()}`],
]);
const [OF_INSTANTIATION, OF_SCALING, REFUSED] = [...secrets.values()] as [string, string, string];

const parameters = schema.parametersOf(DRIVER, 'nodes', schema.machineOf('The nodes', {}));
const operationParameters = { SCALE: schema.overridingLogins('Of a scaling', { node: 'Of all nodes' }) };

let system: System;
let driver: TestDriver;
let worker: TestWorker;
let vnf: VnfView;
const asked: ValidateRequest[] = [];
const heard: string[] = [];
let reply: Partial<ValidateReply> = {};
/** What happens while the driver is asked. */
let meanwhile: () => Promise<void> = () => Promise.resolve();
/** What steps were given as a login. */
const logins: Pick<MachineInput, 'name' | 'username' | 'password'>[] = [];

const logIn: BoundAction = {
  key: 'log-in@1',
  retry: { attempts: 1, backoff: 0 },
  within: undefined,
  apply: ({ input }) => {
    const { name, username, password } = input as unknown as MachineInput;
    logins.push({ name, username, ...(password === undefined ? {} : { password }) });
    return Promise.resolve(undefined);
  },
};

/** Logs in to whoever has come. */
function plan({ instantiateParams, requestParams, affectedVnfcs }: HookContext): Plan {
  const { nodes: shown } = paramsAs<Params>(instantiateParams);
  const come = affectedVnfcs.filter(({ changeType }) => changeType === 'ADDED');
  const steps = come.map(({ vnfc: { id: vnfcId, vduId: name } }) => ({
    kind: 'step' as const,
    id: `log-in:${vnfcId}`,
    action: 'log-in',
    version: 1,
    service: SERVICE,
    input: machineReference({
      name,
      vnfcId,
      sshCp: `${name}_CP`,
      params: paramsSource<Params>(),
      login: ({ nodes }) => nodes,
      shown,
      override: overridingLogin('node', requestParams),
    }),
    traits: { undoable: false },
  }));
  return { root: parallel(steps) };
}

const withHooks = (vnfd: string): string => {
  const bindings = HOOKS.map((hook) => `          ${hook}: { implementation: ${DRIVER} }\n`).join('');
  return vnfd.replace('\n    VDU1:', `\n      interfaces:\n        Vnflcm:\n${bindings}    VDU1:`);
};

beforeAll(async () => {
  system = await startSystem();
  system.link.connection.subscribe('>', {
    callback: (_error, { subject, data }) => void heard.push(`${subject} ${Buffer.from(data).toString('latin1')}`),
  });
  await registerVim(system);
  worker = await startTestWorker(system, SERVICE, [logIn]);
  driver = await startTestDriver(system, DRIVER, {
    service: SERVICE,
    hooks: [...HOOKS],
    actions: [{ name: 'log-in', version: 1 }],
    parameters,
    operationParameters,
    plan,
    validate: async (request) => {
      asked.push(request);
      await meanwhile();
      return reply;
    },
  });
  await onboardZip(system.api, scalingPackage(vnfdId, withHooks));
  const additionalParams = { nodes: { username: 'ubuntu', password: OF_INSTANTIATION } };
  vnf = await vnfView(system, vnfdId, { ...scalingRequest('net0'), additionalParams });
});
afterAll(async () => {
  reply = {};
  await vnf.remove();
  await worker.stop();
  await driver.stop();
  await system.close();
});

/** The driver refuses it, with what it is told. */
const refused = async (task: string, body: JsonObject): Promise<ValidateRequest> => {
  reply = { refusal: { code: 'test.refused', detail: 'the driver has something against it' } };
  const answer = await system.api.post<JsonObject>(`${vnf.url}/${task}`, body);
  reply = {};
  expect(answer, JSON.stringify(answer.data)).toMatchObject({ status: 409, data: { code: 'test.refused' } });
  return asked.at(-1)!;
};
const now = { VDU1: 1, web: 1, db: 1, node: 1 };

describe('a driver that is to refuse a request before it is accepted', () => {
  it('is told of an instantiation how many VNFCs it makes', () => {
    const [told] = asked;
    expect(told).toMatchObject({ operation: 'INSTANTIATE', countsAfter: now, request: { flavourId: 'default' } });
    expect(told).not.toHaveProperty('instance');
    expect(told?.request).not.toHaveProperty('additionalParams');
  });

  it('is told of a scaling which aspect, how far, who is there, and how many there will be', async () => {
    const told = await refused('scale', { type: 'SCALE_OUT', aspectId: 'pair', numberOfSteps: 2 });
    expect(told.request).toEqual({ type: 'SCALE_OUT', aspectId: 'pair', numberOfSteps: 2 });
    expect(told.countsAfter).toEqual({ ...now, web: 3, db: 5 });
    expect(told.instance?.vnfcs.map(({ vduId }) => vduId).sort()).toEqual(['VDU1', 'db', 'node', 'web']);
    expect(told.instance?.vnfcs.map(({ id }) => id).sort()).toEqual((await vnf.vnfcs()).map(({ id }) => id).sort());
    expect(told.instance?.vnfcs[0]?.cps[0]?.addresses).toHaveLength(1);
    expect(told.instance).toMatchObject({ affectedVnfcs: [], sharedCps: [] });
    const level = await refused('scale_to_level', { instantiationLevelId: 'wide' });
    expect(level).toMatchObject({
      request: { instantiationLevelId: 'wide' },
      countsAfter: { VDU1: 1, web: 2, db: 3, node: 3 },
    });
  });

  it('is told of a heal whom it is about, and whether everything is made anew', async () => {
    const [id] = await vnf.ofVdu('web');
    const one = await refused('heal', { vnfcInstanceId: [id!], cause: 'silence' });
    expect(one.instance?.heal).toMatchObject({ vnfcIds: [id], whole: false, recreates: false, cause: 'silence' });
    expect(one.countsAfter).toEqual(now);
    const all = await refused('heal', {});
    expect(all.instance?.heal).toMatchObject({ whole: true, recreates: true });
    expect(all.instance?.heal?.vnfcIds).toHaveLength(4);
  });

  it('is told of a heal which snapshot the cluster can be made of again: the newest of the one that is registered', async () => {
    const cluster = await startKubernetesApi();
    const [id] = await vnf.ofVdu('web');
    const asked = async () => (await refused('heal', { vnfcInstanceId: [id!] })).instance;
    const snapshot = async () => (await asked())?.snapshot;
    const ca = caFingerprint(cluster.ca)!;
    const instance = vnf.url.split('/').at(-1)!;
    const older = await keptSnapshot(system, instance, Buffer.from('of this cluster before'), { ca });
    const newest = await keptSnapshot(system, instance, Buffer.from('of this cluster'), { ca });
    expect(await snapshot(), 'the cluster is not registered').toBeUndefined();
    await registerAsClusterOf(system, cluster, instance);
    const told = await snapshot();
    expect(told).toEqual({ takenAt: expect.stringMatching(/^\d{4}-.*Z$/) as string, master: '10.10.0.24', ca });
    for (const other of [undefined, 'f'.repeat(64)])
      await keptSnapshot(system, instance, Buffer.from(`another ${other}`), { ...(other !== undefined && { ca: other }) });
    expect(await snapshot(), 'one of an earlier life, or not whole, is none').toEqual(told);
    const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    const takenAt = expect.any(String) as string;
    expect((await asked())?.snapshots, 'all that a request can name').toEqual([
      { ...told, id: newest, sha256 },
      { ...told, id: older, sha256, takenAt },
    ]);
    const scaled = await refused('scale', { type: 'SCALE_OUT', aspectId: 'pair' });
    expect(scaled.instance).not.toHaveProperty('snapshot');
    await cluster.close();
  });

  it('is told who is stopped or connected otherwise, and that nobody is left by a termination', async () => {
    const [id] = await vnf.ofVdu('db');
    const stopped = await refused('operate', { changeStateTo: 'STOPPED', vnfcInstanceId: [id!] });
    expect(stopped.instance?.affectedVnfcs).toMatchObject([{ changeType: 'MODIFIED', vnfc: { id } }]);
    const [link] = scalingRequest('net0').extVirtualLinks;
    const extCps = link!.extCps.filter(({ cpdId }) => cpdId === 'web_CP');
    const moved = await refused('change_ext_conn', { extVirtualLinks: [{ id: 'other', resourceId: 'net0', extCps }] });
    expect(moved.instance?.affectedVnfcs.map(({ vnfc }) => vnfc.vduId)).toEqual(['web']);
    expect(moved.request).toMatchObject({ extVirtualLinks: [{ resourceId: 'net0' }] });
    expect(moved.hooks).toEqual(['change_external_connectivity_start', 'change_external_connectivity_end']);
    expect(moved.instance?.connectivity).toMatchObject({
      cps: [{ cpdId: 'web_CP', moves: false }],
      networks: { web_CP: 'net0' },
    });
    const away = await refused('change_ext_conn', { extVirtualLinks: [{ id: 'other', resourceId: 'net1', extCps }] });
    expect(away.instance?.connectivity).toMatchObject({
      cps: [{ cpdId: 'web_CP', moves: true }],
      networks: { web_CP: 'net1', db_CP: 'net0' },
      earlierCps: Object.fromEntries((away.instance?.vnfcs ?? []).map(({ id: of, cps }) => [of, cps])),
    });
    const ended = await refused('terminate', { terminationType: 'FORCEFUL' });
    expect(ended).toMatchObject({ request: { terminationType: 'FORCEFUL' }, countsAfter: { VDU1: 0, web: 0, db: 0, node: 0 } });
  });
});

describe('a request to an instance that Windlass changes while the driver is asked', () => {
  const changed = () => system.database.query('UPDATE lcm.vnf_instance SET version = version + 1').then(() => undefined);
  const operate = (changeStateTo: string) => system.api.post<JsonObject>(`${vnf.url}/operate`, { changeStateTo });
  afterEach(() => (meanwhile = () => Promise.resolve()));

  it('is checked once more, against the instance as it is then, and accepted', async () => {
    const before = asked.length;
    meanwhile = () => (asked.length === before + 1 ? changed() : Promise.resolve());
    const answer = await operate('STOPPED');
    expect(answer.status, JSON.stringify(answer.data)).toBe(202);
    expect(asked).toHaveLength(before + 2);
    await atRest(system.api, answer);
    await atRest(system.api, await operate('STARTED'));
  });

  it('is 409 where that goes on', async () => {
    const before = asked.length;
    meanwhile = changed;
    expect(await operate('STOPPED')).toMatchObject({ status: 409, data: { code: 'vnf-instance.changed' } });
    expect(asked).toHaveLength(before + 3);
  });
});

describe('a request that gives another login', () => {
  const scaleOut = async (additionalParams?: JsonObject): Promise<JsonObject> => {
    const body = { type: 'SCALE_OUT', aspectId: 'worker', ...(additionalParams === undefined ? {} : { additionalParams }) };
    return atRest(system.api, await system.api.post(`${vnf.url}/scale`, body));
  };

  it('is refused where it does not follow the driver’s schema of that operation, and the secret is not quoted', async () => {
    const additionalParams = { node_password: `${REFUSED}\n`, node_passphrase: REFUSED };
    const { status, data } = await system.api.post<JsonObject>(`${vnf.url}/scale`, {
      type: 'SCALE_OUT',
      aspectId: 'worker',
      additionalParams,
    });
    expect(status).toBe(400);
    const paths = (data.invalidParams as unknown as { path?: string; name?: string }[]).map((each) => each.path ?? each.name);
    expect(paths.sort()).toEqual(['/additionalParams/node_passphrase', '/additionalParams/node_password']);
    expect(JSON.stringify(data)).not.toContain(REFUSED);
  });

  it('has its steps log in by that, and the next one by the instantiation’s again', async () => {
    const over = await scaleOut({ node_username: 'admin', node_password: OF_SCALING });
    expect(over, JSON.stringify(over)).toMatchObject({ operationState: 'COMPLETED' });
    expect(asked.at(-1)?.requestParams).toEqual({ node_username: 'admin', node_password: '***' });
    expect(await scaleOut()).toMatchObject({ operationState: 'COMPLETED' });
    expect(await scaleOut({ node_username: 'admin' })).toMatchObject({ operationState: 'COMPLETED' });
    expect(logins).toEqual([
      { name: 'node', username: 'admin', password: OF_SCALING },
      { name: 'node', username: 'ubuntu', password: OF_INSTANTIATION },
      { name: 'node', username: 'admin', password: OF_INSTANTIATION },
    ]);
  });

  it('is shown without its secrets, and leaves none in the record or on the message bus', async () => {
    const answers = await everyAnswer(system.api);
    expect(answers.join('\n')).toContain('"node_password":"***"');
    expectNone(secrets, answers, 'an answer');
    expectNone(secrets, await everyColumn(system), 'a column');
    expectNone(secrets, heard, 'a message');
  });
});

describe('a scale in that names who leaves', () => {
  const body = (names: unknown, more: JsonObject = {}): JsonObject => ({
    type: 'SCALE_IN',
    aspectId: 'worker',
    ...more,
    additionalParams: { leaving_vnfcs: names as string[] },
  });
  const wrong = async (request: JsonObject): Promise<{ path: string; reason: string }[]> => {
    const { status, data } = await system.api.post<JsonObject>(`${vnf.url}/scale`, request);
    expect(status, JSON.stringify(data)).toBe(400);
    return data.invalidParams as unknown as { path: string; reason: string }[];
  };

  it('is refused with a list of those who can leave, where a name is nobody’s, another VDU’s, or of too many', async () => {
    const nodes = await vnf.ofVdu('node');
    const [web] = await vnf.ofVdu('web');
    const faults = await wrong(body([randomUUID(), web, nodes[0]]));
    expect(faults.map(({ path }) => path)).toEqual(['/additionalParams/leaving_vnfcs/0', '/additionalParams/leaving_vnfcs/1']);
    for (const { reason } of faults) for (const id of nodes) expect(reason).toContain(id);
    expect(faults[1]?.reason).toContain('"web"');
    expect((await wrong(body(nodes.slice(0, 2))))[0]?.reason).toContain('names 2 of the VDU "node", and 1 of it leave');
    expect((await wrong(body(nodes[0])))[0]).toMatchObject({ path: '/additionalParams/leaving_vnfcs' });
    expect((await wrong(body([nodes[0]], { type: 'SCALE_OUT', aspectId: 'pair' })))[0]?.reason).toContain('nobody leaves');
  });

  it('tells the driver before the 202 and at scale_start who leaves, and those leave, however they are named', async () => {
    const nodes = (await refused('scale', { type: 'SCALE_IN', aspectId: 'worker' })).instance?.vnfcs.filter(
      ({ vduId }) => vduId === 'node',
    );
    const [oldest, second, third] = nodes!;
    const names = [second!.name, oldest!.cps[0]!.addresses[0]!];
    const told = await refused('scale', body(names, { numberOfSteps: 2 }));
    const ids = [oldest!.id, second!.id].sort();
    expect(told.instance?.affectedVnfcs.map(({ changeType, vnfc: { id } }) => `${changeType} ${id}`).sort()).toEqual(
      ids.map((id) => `REMOVED ${id}`),
    );
    expect(told.countsAfter).toMatchObject({ node: 2 });
    const before = driver.told.length;
    const op = await atRest(system.api, await system.api.post(`${vnf.url}/scale`, body(names, { numberOfSteps: 2 })));
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    const [start] = driver.told.slice(before);
    expect(start?.affectedVnfcs.map(({ vnfc: { id } }) => id).sort()).toEqual(ids);
    expect((await vnf.ofVdu('node')).sort()).toEqual(
      nodes!
        .slice(2)
        .map(({ id }) => id)
        .sort(),
    );
    const last = await atRest(system.api, await system.api.post(`${vnf.url}/scale`, body([`node-${third!.id}`])));
    expect(last).toMatchObject({ operationState: 'COMPLETED', resourceChanges: { affectedVnfcs: [{ id: third!.id }] } });
  });
});

describe('an operation whose driver needs the names of compute hosts', () => {
  it('ends rolled back before anything is made where Nova hides them, with the rule of its policy and the role', async () => {
    const before = JSON.stringify(system.emulator.inventory());
    const told = driver.told.length;
    reply = { needs: ['compute-host'] };
    const op = await atRest(system.api, await system.api.post(`${vnf.url}/scale`, { type: 'SCALE_OUT', aspectId: 'pair' }));
    reply = {};
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'ROLLED_BACK', error: { status: 409 } });
    const { detail } = op.error as { detail: string };
    expect(detail).toContain('os_compute_api:os-extended-server-attributes');
    expect(detail).toContain('role admin');
    expect(JSON.stringify(system.emulator.inventory())).toBe(before);
    expect(driver.told).toHaveLength(told);
  });
});
