import { randomUUID } from 'node:crypto';
import { isJsonObject, millis, seconds, TerminalError, waitUntil, type Json, type JsonObject } from '@windlass/foundation';
import { clusterConnectionId, clusterVimId, HOOKS, type HookContext } from '@windlass/mgmt-driver';
import { sequence, type BoundAction, type Plan, type StepNode } from '@windlass/saga';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOTIFYING, subscribe } from '../notifications/support/notifying.js';
import { Subscriber } from '../notifications/support/subscriber.js';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';
import { startTestWorker, type TestWorker } from '../support/test-worker.js';
import { vnfView, type VnfView } from '../support/vnf-view.js';

const DRIVER = 'mgmt-drivers-doing';
const SERVICE = 'doing-mgmt';
const vnfdId = randomUUID();

let system: System;
let driver: TestDriver;
let worker: TestWorker;
let vnf: VnfView;
/** The hook whose last step fails. */
let failsAt = '';
/** What steps did and what was taken back, in their order, each with how many servers the VIM had then. */
const done: string[] = [];

const servers = (): number => system.emulator.inventory().reduce((sum, project) => sum + project.servers.length, 0);
const idOf = (input: JsonObject): string => String(input.vnfInstanceId);

const once = { retry: { attempts: 1, backoff: 0 }, within: undefined };
const actions: BoundAction[] = [
  {
    key: 'register@1',
    ...once,
    apply: ({ input }) => {
      const accessInfo = { authUrl: `https://${String(input.address)}:6443` };
      const entry = { id: clusterConnectionId(idOf(input)), vimId: clusterVimId(idOf(input)), vimType: 'kubernetes', accessInfo };
      return Promise.resolve({ instance: { vimConnectionInfo: { add: [{ ...entry, extra: {} }] } } });
    },
  },
  {
    key: 'forget@1',
    ...once,
    apply: ({ input }) => Promise.resolve({ instance: { vimConnectionInfo: { removeVimIds: [clusterVimId(idOf(input))] } } }),
  },
  {
    key: 'join@1',
    ...once,
    apply: ({ input }) => Promise.resolve(void done.push(`${String(input.node)} joins, ${servers()}`)),
    undo: ({ input }) => Promise.resolve(void done.push(`${String(input.node)} is taken out, ${servers()}`)),
  },
  { key: 'fail@1', ...once, apply: () => Promise.reject(new TerminalError('test.failed', 'this step fails')) },
];

const step = (action: string, input: JsonObject, more: Partial<StepNode> = {}): StepNode => ({
  kind: 'step',
  id: `${action}-${String(input.node ?? '')}`,
  action,
  version: 1,
  service: SERVICE,
  input,
  ...more,
});
const contributes = { traits: { contributes: true, undoable: false } };

/** The cluster of the VNF: registered when it is made, forgotten before it is made anew, joined by whoever comes. */
function plan({ hook, vnfInstanceId, vnfcs, affectedVnfcs, heal }: HookContext): Plan {
  const steps: StepNode[] = [];
  const address = vnfcs.find(({ vduId }) => vduId === 'VDU1')?.cps[0]?.addresses[0] ?? 'none';
  if (hook === 'heal_start' && heal?.recreates === true) steps.push(step('forget', { vnfInstanceId }, contributes));
  if (hook === 'instantiate_end' || (hook === 'heal_end' && heal?.recreates === true))
    steps.push(step('register', { vnfInstanceId, address }, contributes));
  if (hook === 'scale_end')
    for (const { changeType, vnfc } of affectedVnfcs) if (changeType === 'ADDED') steps.push(step('join', { node: vnfc.vduId }));
  if (hook === failsAt) steps.push(step('fail', {}, { traits: { undoable: false } }));
  return { root: sequence(...steps) };
}

const withHooks = (vnfd: string): string => {
  const bindings = HOOKS.map((hook) => `          ${hook}: { implementation: ${DRIVER} }\n`).join('');
  return vnfd.replace('\n    VDU1:', `\n      interfaces:\n        Vnflcm:\n${bindings}    VDU1:`);
};

beforeAll(async () => {
  system = await startSystem({ lcm: NOTIFYING });
  await registerVim(system);
  worker = await startTestWorker(system, SERVICE, actions);
  driver = await startTestDriver(system, DRIVER, {
    service: SERVICE,
    hooks: [...HOOKS],
    actions: actions.map(({ key }) => ({ name: key.replace('@1', ''), version: 1 })),
    plan,
  });
  await onboardZip(system.api, scalingPackage(vnfdId, withHooks));
  vnf = await vnfView(system, vnfdId, scalingRequest('net0'));
});
afterAll(async () => {
  failsAt = '';
  await vnf.remove();
  await worker.stop();
  await driver.stop();
  await system.close();
});

/** Entries of the instance that lead to a cluster. */
async function clusters(): Promise<JsonObject[]> {
  const { vimConnectionInfo } = await vnf.show();
  const entries: Json[] = Array.isArray(vimConnectionInfo) ? vimConnectionInfo : [];
  return entries.filter(isJsonObject).filter(({ vimType }) => vimType === 'kubernetes');
}

async function run(task: string, body: JsonObject): Promise<{ path: string; op: JsonObject }> {
  const accepted = await system.api.post(`${vnf.url}/${task}`, body);
  const op = await atRest(system.api, accepted);
  return { path: new URL(String(accepted.headers.location)).pathname, op };
}

async function modified(change: JsonObject): Promise<JsonObject> {
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  const accepted = await system.api.patch<JsonObject>(vnf.url, change, { headers });
  expect(accepted.status, JSON.stringify(accepted.data)).toBe(202);
  const op = await atRest(system.api, accepted);
  expect(op, JSON.stringify(op)).toMatchObject({ operation: 'MODIFY_INFO', operationState: 'COMPLETED' });
  return op;
}

const settled = (path: string, state: string): Promise<JsonObject> =>
  waitUntil(
    async () => {
      const { data } = await system.api.get<JsonObject>(path);
      return data.operationState === state ? data : undefined;
    },
    { for: state, within: seconds(30), every: millis(50) },
  );

describe('the registration of the cluster that a VNF is', () => {
  const address = async (): Promise<unknown> => {
    const [entry] = await clusters();
    return (entry?.accessInfo as JsonObject | undefined)?.authUrl;
  };

  it('is the new cluster’s when the whole was made anew, and stands there once', async () => {
    expect(await clusters()).toHaveLength(1);
    const before = await address();
    const { op } = await run('heal', {});
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    expect(await clusters()).toMatchObject([{ vimId: clusterVimId(vnf.url.split('/').at(-1)!) }]);
    expect(await address()).not.toBe(before);
  });

  it('is not named any more as soon as an operation stands that has taken it away, nor after it was marked as failed', async () => {
    failsAt = 'heal_end';
    const { path, op } = await run('heal', {});
    failsAt = '';
    expect(op).toMatchObject({ operationState: 'FAILED_TEMP' });
    // The failing step stands after the one that registers: that one is done, and won't be undone.
    expect(await clusters()).toHaveLength(1);
    await system.api.post(`${path}/fail`, {});
    await settled(path, 'FAILED');
    expect(await clusters()).toHaveLength(1);

    failsAt = 'heal_start';
    const second = await run('heal', {});
    expect(second.op).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect(await clusters()).toEqual([]);
    await system.api.post(`${second.path}/fail`, {});
    await settled(second.path, 'FAILED');
    expect(await clusters()).toEqual([]);
  });

  it('is not named after a roll-back that could not bring it back, and is there after the next heal', async () => {
    failsAt = '';
    await run('heal', {});
    expect(await clusters()).toHaveLength(1);
    failsAt = 'heal_start';
    const { path } = await run('heal', {});
    await system.api.post(`${path}/rollback`, {});
    await settled(path, 'ROLLED_BACK');
    failsAt = '';
    expect(await clusters()).toEqual([]);
    expect((await run('heal', {})).op).toMatchObject({ operationState: 'COMPLETED' });
    expect(await clusters()).toHaveLength(1);
  });

  it('keeps the whole from being made anew while others are on it: refused with their names, and one VNFC is healed', async () => {
    const id = vnf.url.split('/').at(-1)!;
    const other = await createVnf(system.api, vnfdId, { vnfInstanceName: 'a CNF on it' });
    const otherId = other.split('/').at(-1)!;
    const uses = JSON.stringify({ vim: { vimId: clusterVimId(id), connectionId: 'c' } });
    await system.database.query('UPDATE lcm.vnf_instance SET leftovers = $1 WHERE id = $2', [uses, otherId]);
    const before = JSON.stringify(system.emulator.inventory());
    const refused = await system.api.post<JsonObject>(`${vnf.url}/heal`, {});
    expect(refused, JSON.stringify(refused.data)).toMatchObject({ status: 409, data: { code: 'vim.in-use' } });
    expect(refused.data.detail).toContain(`${otherId} ("a CNF on it")`);
    const inPlace = await system.api.post<JsonObject>(`${vnf.url}/heal`, { additionalParams: { all: false } });
    expect(inPlace, JSON.stringify(inPlace.data)).toMatchObject({ status: 409, data: { code: 'vim.in-use' } });
    for (const terminationType of ['GRACEFUL', 'FORCEFUL']) {
      const kept = await system.api.post<JsonObject>(`${vnf.url}/terminate`, { terminationType });
      expect(kept, JSON.stringify(kept.data)).toMatchObject({ status: 409, data: { code: 'vim.in-use' } });
      expect(kept.data.detail).toContain(`${otherId} ("a CNF on it")`);
    }
    expect(JSON.stringify(system.emulator.inventory())).toBe(before);
    expect(await clusters()).toHaveLength(1);
    const [web] = await vnf.ofVdu('web');
    expect((await run('heal', { vnfcInstanceId: [web!] })).op).toMatchObject({ operationState: 'COMPLETED' });
    await system.database.query('UPDATE lcm.vnf_instance SET leftovers = NULL WHERE id = $1', [otherId]);
    expect((await system.api.delete(other)).status).toBe(204);
  });
});

describe('a modification of the instance that has become a cluster', () => {
  it('changes its names, metadata, extensions and package, tells subscribers, and leaves the cluster’s entry and its machines alone', async () => {
    const { vnfPkgId } = await vnf.show();
    const otherVnfdId = randomUUID();
    const other = await onboardZip(system.api, scalingPackage(otherVnfdId, withHooks));
    const [entry] = await clusters();
    const before = JSON.stringify(system.emulator.inventory());
    const id = vnf.url.split('/').at(-1)!;
    const subscriber = await Subscriber.start();
    const filter = {
      vnfInstanceSubscriptionFilter: { vnfInstanceIds: [id] },
      notificationTypes: ['VnfLcmOperationOccurrenceNotification'],
    };
    await subscribe(system.api, { callbackUri: subscriber.url, filter });
    const told = { vnfInstanceName: 'a cluster', metadata: { rack: '7' }, extensions: { owner: 'us' } };
    const op = await modified({ ...told, vnfdId: otherVnfdId });
    expect(op).toMatchObject({ changedInfo: { ...told, vnfdId: otherVnfdId, vnfPkgId: other.id } });
    expect(await vnf.show()).toMatchObject({ ...told, vnfdId: otherVnfdId, vnfPkgId: other.id });
    await subscriber.until(2);
    expect(subscriber.story(id)).toEqual(['MODIFY_INFO PROCESSING', 'MODIFY_INFO COMPLETED']);
    expect(subscriber.heard.at(-1)).toMatchObject({ vnfLcmOpOccId: op.id, changedInfo: { ...told, vnfdId: otherVnfdId } });
    expect(subscriber.faults).toEqual([]);
    await subscriber.goAway();
    expect(await clusters()).toEqual([entry]);
    expect(JSON.stringify(system.emulator.inventory())).toBe(before);
    await modified({ vnfPkgId: vnfPkgId ?? null });
  });
});

describe('a scale out that fails after nodes have joined', () => {
  it('has them taken out when it is rolled back, while their machines are still there; then those go', async () => {
    const before = servers();
    done.length = 0;
    failsAt = 'scale_end';
    const { path, op } = await run('scale', { type: 'SCALE_OUT', aspectId: 'worker' });
    failsAt = '';
    expect(op).toMatchObject({ operationState: 'FAILED_TEMP' });
    await system.api.post(`${path}/rollback`, {});
    await settled(path, 'ROLLED_BACK');
    expect(done).toEqual([`node joins, ${before + 1}`, `node is taken out, ${before + 1}`]);
    expect(servers()).toBe(before);
  });
});
