import { randomUUID } from 'node:crypto';
import { minutes, seconds, millis, waitUntil, type JsonObject } from '@windlass/foundation';
import { schemaErrors } from '@windlass/sol003/schemas';
import { ApiClient, audit } from '@windlass/windlass';
import type { AxiosResponse } from 'axios';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { aNewSecond, vnfView, type VnfView } from '../support/vnf-view.js';

let system: System;
let vnf: VnfView;
const vnfdId = randomUUID();
const STACK = '/stacks/vnf-[0-9a-f-]{36}/[0-9a-f-]{36}$';

/** The one server that no group makes takes addresses, too. */
const withAddresses = (template: string): string =>
  template.replace(
    'properties: { network: { get_param: [ nfv, CP, VDU1_CP1, network ] } }',
    'properties: { network: { get_param: [ nfv, CP, VDU1_CP1, network ] }, fixed_ips: { get_param: [ nfv, CP, VDU1_CP1, fixed_ips ] } }',
  );

beforeAll(async () => {
  // A worker hears of a cancel when it renews: every two seconds.
  system = await startSystem({ policy: { lease: seconds(6) } });
  await registerVim(system);
  await onboardZip(
    system.api,
    scalingPackage(vnfdId, (vnfd) => vnfd, withAddresses),
  );
});
afterAll(() => system.close());
beforeEach(async () => {
  vnf = await vnfView(system, vnfdId, scalingRequest('net0'));
});
afterEach(async () => {
  system.emulator.faults.clear();
  await refreshed();
  await vnf.remove();
});

/** After a roll-back the instance is read again; an operation that is asked for just then is refused with 409, and may be asked for again. */
const refreshed = (): Promise<true> =>
  waitUntil(
    async (seen) => {
      const [row] = await system.database.query<{ left: number }[]>(
        `SELECT count(*)::int AS left FROM lcm.internal_operation WHERE state <> 'DONE'`,
      );
      seen(`${row?.left}`);
      return row?.left === 0 ? true : undefined;
    },
    { for: 'the refreshes to end', within: minutes(1), every: millis(50) },
  );

const cp = (cpdId: string, config: JsonObject = {}): JsonObject => ({
  cpdId,
  cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }], ...config }],
});
const link = (id: string, resourceId: string, ...extCps: JsonObject[]): JsonObject => ({ id, resourceId, extCps });
const addressed = (...fixedAddresses: string[]): JsonObject => ({
  cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET', ipOverEthernet: { ipAddresses: [{ type: 'IPV4', fixedAddresses }] } }],
});
const TO_NET1 = { extVirtualLinks: [link('other', 'net1', cp('node_CP'))] };

const ask = (body: JsonObject) => system.api.post<JsonObject>(`${vnf.url}/change_ext_conn`, body);
const changed = async (body: JsonObject): Promise<JsonObject> => {
  const op = await atRest(system.api, await ask(body), minutes(2));
  expect(schemaErrors('VnfLcmOpOcc', op)).toEqual([]);
  return op;
};
const asked = async (name: string, body: JsonObject): Promise<JsonObject> =>
  atRest(system.api, await system.api.post(`${vnf.url}/${name}`, body), minutes(2));
const pathOf = (accepted: AxiosResponse<JsonObject>): string => new URL(String(accepted.headers.location)).pathname;
const task = async (accepted: AxiosResponse<JsonObject>, name: string): Promise<JsonObject> => {
  const answer = await system.api.post<JsonObject>(`${pathOf(accepted)}/${name}`, {});
  expect([200, 202], JSON.stringify(answer.data)).toContain(answer.status);
  return atRest(system.api, accepted, minutes(2));
};

interface Link {
  id: string;
  resourceHandle: { resourceId: string };
  extLinkPorts: { id: string; resourceHandle: { resourceId: string }; cpInstanceId: string }[];
}
interface ExtCp {
  id: string;
  cpdId: string;
  extLinkPortId: string;
  cpProtocolInfo: { ipOverEthernet: { ipAddresses: { addresses: string[]; isDynamic: boolean }[] } }[];
}
const info = async () => (await vnf.show()).instantiatedVnfInfo as unknown as { extVirtualLinkInfo: Link[]; extCpInfo: ExtCp[] };
/** Addresses of the CPs of that name, as the instance shows them. */
const addresses = async (cpdId: string): Promise<string[]> =>
  (await info()).extCpInfo
    .filter((each) => each.cpdId === cpdId)
    .flatMap(({ cpProtocolInfo }) => cpProtocolInfo.flatMap(({ ipOverEthernet }) => ipOverEthernet.ipAddresses))
    .flatMap((each) => each.addresses);
const portIds = (): string[] => system.emulator.inventory().flatMap(({ ports }) => ports.map(({ id }) => id));
/** How many CPs each link has. */
const links = async (): Promise<Record<string, number>> =>
  Object.fromEntries((await info()).extVirtualLinkInfo.map(({ id, extLinkPorts }) => [id, extLinkPorts.length]));

/** Nothing that the instance says is otherwise in the VIM, once nothing works on it any more. */
async function inOrder(): Promise<void> {
  // Of what has changed in the same moment an audit says nothing.
  await aNewSecond();
  const api = new ApiClient(String(system.api.defaults.baseURL), 'test-token');
  const report = await waitUntil(
    async () => {
      const lines: string[] = [];
      await audit(api, { fix: false, json: true }, (line) => void lines.push(line));
      const told = JSON.parse(lines.join('\n')) as JsonObject & { busy: string[] };
      return told.busy.length === 0 ? told : undefined;
    },
    { for: 'an audit that speaks of every instance', within: minutes(1), every: millis(500) },
  );
  expect(report).toMatchObject({ missing: [], differences: [], foreign: [], orphans: [] });
}

describe('a VNF whose external connectivity is changed', () => {
  it('has its connection points on the other network, in the same servers, and says what has changed', async () => {
    const servers = await vnf.serverIds();
    const before = await info();
    const op = await changed(TO_NET1);
    expect(op, JSON.stringify(op)).toMatchObject({ operation: 'CHANGE_EXT_CONN', operationState: 'COMPLETED' });
    expect(op.changedExtConnectivity).toMatchObject([{ id: 'net' }, { id: 'other', resourceHandle: { resourceId: 'net1' } }]);
    const [node] = await vnf.ofVdu('node');
    expect(op.resourceChanges).toMatchObject({
      affectedVnfcs: [{ id: node, changeType: 'MODIFIED', affectedVnfcCpIds: [expect.any(String)] }],
    });
    expect(await links()).toEqual({ net: 3, other: 1 });
    expect(await vnf.serverIds()).toEqual(servers);
    const [moved, was] = [await info(), before].map(({ extCpInfo }) => extCpInfo.find(({ cpdId }) => cpdId === 'node_CP'));
    // The connection point is the same, on another port.
    expect(moved?.id).toBe(was?.id);
    expect(moved?.cpProtocolInfo).not.toEqual(was?.cpProtocolInfo);
    expect(schemaErrors('VnfInstance', await vnf.show())).toEqual([]);
    await inOrder();
  });

  it('keeps it when it is scaled, healed, and made anew', async () => {
    await changed(TO_NET1);
    expect(await asked('scale', { type: 'SCALE_OUT', aspectId: 'worker' })).toMatchObject({ operationState: 'COMPLETED' });
    expect(await links()).toEqual({ net: 3, other: 2 });
    const [node] = await vnf.ofVdu('node');
    expect(await asked('heal', { vnfcInstanceId: [node ?? ''] })).toMatchObject({ operationState: 'COMPLETED' });
    expect(await links()).toEqual({ net: 3, other: 2 });
    expect(await asked('heal', {})).toMatchObject({ operationState: 'COMPLETED' });
    expect(await links()).toEqual({ net: 3, other: 2 });
    await inOrder();
  });

  it('has the address that is asked for on the port that is there, and the link goes with its last connection point', async () => {
    const before = portIds();
    const free = (await addresses('VDU1_CP1'))[0]?.replace(/\d+$/, '199') ?? '';
    const op = await changed({ extVirtualLinks: [link('net', 'net0', cp('VDU1_CP1', addressed(free)))] });
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    expect(await addresses('VDU1_CP1')).toEqual([free]);
    expect(portIds()).toEqual(before);
    const all = ['VDU1_CP1', 'web_CP', 'db_CP', 'node_CP'].map((name) => cp(name));
    await changed({ extVirtualLinks: [link('other', 'net1', ...all)] });
    expect(await links()).toEqual({ other: 4 });
    await inOrder();
  });

  it('is changed while it is STOPPED, and stays so', async () => {
    await asked('operate', { changeStateTo: 'STOPPED' });
    expect(await changed(TO_NET1)).toMatchObject({ operationState: 'COMPLETED' });
    expect((await vnf.show()).instantiatedVnfInfo).toMatchObject({ vnfState: 'STOPPED' });
    expect(system.emulator.inventory().flatMap(({ servers }) => servers.map(({ status }) => status))).toEqual(
      Array.from({ length: 4 }, () => 'SHUTOFF'),
    );
  });
});

describe('a request to change the connectivity', () => {
  it.each([
    [{}, '/extVirtualLinks', ''],
    [{ extVirtualLinks: [] }, '/extVirtualLinks', ''],
    [
      { extVirtualLinks: [link('a', 'net1', cp('nobody'))] },
      '/extVirtualLinks/0/extCps/0/cpdId',
      'no external connection point "nobody"',
    ],
    [
      { extVirtualLinks: [{ ...link('a', 'net1', cp('node_CP')), extCps: [{ cpdId: 'node_CP', cpConfig: [] }] }] },
      '/extVirtualLinks/0/extCps/0/cpConfig',
      '',
    ],
    [
      { extVirtualLinks: [link('a', 'net1', cp('node_CP')), link('a', 'net1', cp('web_CP'))] },
      '/extVirtualLinks/1/id',
      'name it once',
    ],
    [
      { extVirtualLinks: [link('a', 'net1', cp('node_CP')), link('b', 'net0', cp('node_CP'))] },
      '/extVirtualLinks/1/extCps/0/cpdId',
      'name it once',
    ],
    [{ extVirtualLinks: [link('net', 'net1', cp('node_CP'))] }, '/extVirtualLinks/0/resourceId', 'would stay on it'],
    [
      { extVirtualLinks: [link('a', 'net1', cp('node_CP', { cpInstanceId: 'x' }))] },
      '/extVirtualLinks/0/extCps/0/cpConfig/0/cpInstanceId',
      'no instance x',
    ],
    [
      { extVirtualLinks: [link('a', 'net1', cp('node_CP', { linkPortId: 'p' }))] },
      '/extVirtualLinks/0/extCps/0/cpConfig/0/linkPortId',
      'make the port',
    ],
    [
      { extVirtualLinks: [link('a', 'net1', cp('node_CP', addressed('10.0.0.9')))] },
      '/extVirtualLinks/0/extCps/0/cpConfig/0/cpProtocolData/0/ipOverEthernet/ipAddresses/0',
      'take no addresses',
    ],
    [{ ...TO_NET1, additionalParams: { nfv: { VDU: {} } } }, '/additionalParams/nfv/VDU', 'only CP'],
    [{ ...TO_NET1, vimConnectionInfo: [{ id: 'elsewhere', vimType: 'openstack' }] }, '/vimConnectionInfo/0/id', 'are not moved'],
  ])('%j is refused at its field', async (body, path, words) => {
    const answer = await ask(body as JsonObject);
    expect([answer.status, answer.data.invalidParams]).toMatchObject([400, [{ path }]]);
    expect(answer.data.detail).toContain(words);
  });

  it('is refused, and not offered, while the VNF is not instantiated', async () => {
    const url = await createVnf(system.api, vnfdId);
    expect(((await system.api.get<JsonObject>(url)).data._links as JsonObject).changeExtConn).toBeUndefined();
    expect(((await vnf.show())._links as JsonObject).changeExtConn).toBeDefined();
    const answer = await system.api.post<JsonObject>(`${url}/change_ext_conn`, TO_NET1);
    expect([answer.status, answer.data.code]).toEqual([409, 'vnf-instance.wrong-state']);
    expect((await system.api.delete(url)).status).toBe(204);
  });

  it('that names the one instance of a connection point is carried out, and one of several is refused', async () => {
    const of = async (cpdId: string): Promise<string> => (await info()).extCpInfo.find((each) => each.cpdId === cpdId)?.id ?? '';
    const named = (id: string) => ({ extVirtualLinks: [link('other', 'net1', cp('node_CP', { cpInstanceId: id }))] });
    expect(await changed(named(await of('node_CP')))).toMatchObject({ operationState: 'COMPLETED' });
    await asked('scale', { type: 'SCALE_OUT', aspectId: 'worker' });
    const answer = await ask(named(await of('node_CP')));
    expect([answer.status, answer.data.detail]).toMatchObject([400, expect.stringContaining('2 instances')]);
  });
});

describe('a change that the VIM refuses half-way', () => {
  let accepted: AxiosResponse<JsonObject>;
  beforeEach(async () => {
    system.emulator.faults.add({
      kind: 'fail-resource',
      resource: 'node_CP',
      action: 'CREATE',
      reason: 'No more ports',
      times: 1,
    });
    accepted = await ask({ extVirtualLinks: [link('other', 'net1', cp('VDU1_CP1'), cp('node_CP'))] });
    const op = await atRest(system.api, accepted, minutes(2));
    expect(op, JSON.stringify(op)).toMatchObject({
      operationState: 'FAILED_TEMP',
      error: { detail: expect.stringContaining('No more ports') as string },
    });
  });

  it('goes on with retry', async () => {
    expect(await task(accepted, 'retry')).toMatchObject({ operationState: 'COMPLETED' });
    expect(await links()).toEqual({ net: 2, other: 2 });
    await inOrder();
  });

  it('is taken back by rollback to the networks that it was on; the ports, which are others, are soon shown', async () => {
    const servers = await vnf.serverIds();
    expect(await task(accepted, 'rollback')).toMatchObject({ operationState: 'ROLLED_BACK' });
    const there = new Set(portIds());
    await waitUntil(
      async () =>
        (await info()).extVirtualLinkInfo.every(({ extLinkPorts }) =>
          extLinkPorts.every((port) => there.has(port.resourceHandle.resourceId)),
        )
          ? true
          : undefined,
      { for: 'the ports of today to be shown', within: minutes(1), every: millis(50) },
    );
    expect(await links()).toEqual({ net: 4 });
    expect(await vnf.serverIds()).toEqual(servers);
    await inOrder();
  });

  it('is left by fail, and the next scaling brings what should be', async () => {
    await task(accepted, 'fail');
    expect(await asked('scale', { type: 'SCALE_OUT', aspectId: 'worker' })).toMatchObject({ operationState: 'COMPLETED' });
    expect(await links()).toEqual({ net: 5 });
    await inOrder();
  });
});

describe('a VIM that is away while ports are moved', () => {
  it('is asked again, and an update whose answer was lost is not asked for twice', async () => {
    const { faults } = system.emulator;
    const updates = (): number => system.emulator.count('PATCH', new RegExp(STACK));
    const before = updates();
    faults.add({ kind: 'lost-answer', method: 'PATCH', path: STACK, times: 1 });
    faults.add({ kind: 'status', method: 'GET', path: '/orchestration/', status: 503, times: 3 });
    expect(await changed(TO_NET1)).toMatchObject({ operationState: 'COMPLETED' });
    expect(updates() - before).toBe(1);
    await inOrder();
  });
});

describe('a cancel while Heat moves ports', () => {
  it.each(['GRACEFUL', 'FORCEFUL'])('%s ends it at FAILED_TEMP, and rollback takes it back', async (cancelMode) => {
    system.emulator.faults.add({
      kind: 'slow-stack',
      delayMs: cancelMode === 'FORCEFUL' ? 60_000 : 3_000,
      stackName: '^vnf-[0-9a-f-]{36}$',
      times: 1,
    });
    const accepted = await ask(TO_NET1);
    const updating = (): boolean =>
      system.emulator.inventory().some(({ stacks }) => stacks.some(({ status }) => status === 'UPDATE_IN_PROGRESS'));
    await waitUntil(() => Promise.resolve(updating() || undefined), { for: 'the update', within: minutes(1), every: millis(20) });
    expect((await system.api.post(`${pathOf(accepted)}/cancel`, { cancelMode })).status).toBe(202);
    expect(await atRest(system.api, accepted, minutes(2))).toMatchObject({
      operationState: 'FAILED_TEMP',
      isCancelPending: false,
    });
    expect(await task(accepted, 'rollback')).toMatchObject({ operationState: 'ROLLED_BACK' });
    expect(await links()).toEqual({ net: 4 });
  });
});
