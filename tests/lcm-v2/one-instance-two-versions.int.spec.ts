import { randomUUID } from 'node:crypto';
import axios, { type AxiosInstance } from 'axios';
import { isJsonObject, seconds, type JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { scalingPackage, scalingRequest, scalingRequestV2 } from '../support/scaling-package.js';

const SECRET = 'a password of the lab';
const vnfdId = randomUUID();

let system: System;
let vimId: string;
let v1: AxiosInstance;
let v2: AxiosInstance;
beforeAll(async () => {
  system = await startSystem();
  vimId = await registerVim(system);
  await onboardZip(system.api, scalingPackage(vnfdId));
  const speaking = (version: string, Version: string): AxiosInstance =>
    axios.create({
      ...system.api.defaults,
      baseURL: `${system.api.defaults.baseURL ?? ''}/vnflcm/${version}`,
      headers: { 'X-Auth-Token': 'test-token', Version },
    });
  [v1, v2] = [speaking('v1', '1.3.0'), speaking('v2', '2.0.0')];
});
afterAll(() => system.close());

type Known = Record<string, { id: string; vduId: string; [more: string]: unknown }[]>;

const instantiation = (): JsonObject => ({
  ...scalingRequestV2('net0'),
  vimConnectionInfo: {
    vim1: {
      vimId,
      vimType: 'ETSINFV.OPENSTACK_KEYSTONE.V_3',
      accessInfo: { username: system.emulator.tenant.user },
      extra: { note: SECRET },
    },
  },
  extensions: { tier: 'gold' },
});

async function created(api: AxiosInstance): Promise<string> {
  const { status, data } = await api.post<{ id: string }>('/vnf_instances', { vnfdId });
  expect([status, data]).toMatchObject([201, { vnfdId }]);
  return data.id;
}

/** Asks for an operation and waits for its end; the occurrence as that version shows it. */
async function done(api: AxiosInstance, path: string, body: JsonObject, method: 'post' | 'patch' = 'post'): Promise<JsonObject> {
  const accepted = await api[method]<unknown>(path, body);
  expect([accepted.status, accepted.data], JSON.stringify(accepted.data)).toEqual([202, '']);
  const { id } = await atRest(api, accepted, seconds(60), (location) => location.replace(/^\/vnflcm\/v\d/, ''));
  const { data } = await api.get<JsonObject>(`/vnf_lcm_op_occs/${String(id)}`);
  expect(data, JSON.stringify(data)).toMatchObject({ operationState: 'COMPLETED' });
  return data;
}

const shown = async (api: AxiosInstance, vnf: string): Promise<JsonObject> =>
  (await api.get<JsonObject>(`/vnf_instances/${vnf}`)).data;

async function infoOf(api: AxiosInstance, vnf: string): Promise<Known> {
  const { instantiatedVnfInfo } = await shown(api, vnf);
  if (!isJsonObject(instantiatedVnfInfo)) throw new Error('it is not instantiated');
  return instantiatedVnfInfo as unknown as Known;
}

const terminated = async (api: AxiosInstance, vnf: string): Promise<void> => {
  await done(api, `/vnf_instances/${vnf}/terminate`, { terminationType: 'FORCEFUL' });
  expect((await api.delete(`/vnf_instances/${vnf}`)).status).toBe(204);
};

describe('an instance made through v2', () => {
  let vnf: string;
  beforeAll(async () => {
    vnf = await created(v2);
    const operation = await done(v2, `/vnf_instances/${vnf}/instantiate`, instantiation());
    const { vimConnectionInfo, ...others } = instantiation();
    const { user: username } = system.emulator.tenant;
    expect(operation.operationParams).toMatchObject(others);
    expect(operation.operationParams).toMatchObject({ vimConnectionInfo: { vim1: { vimId, accessInfo: { username } } } });
    expect(JSON.stringify([operation, vimConnectionInfo === undefined])).not.toContain(SECRET);
  });
  afterAll(() => terminated(v1, vnf));

  it('has connections as a map, no package, levels, zones and vnfcInfo in v2, and v1’s form in v1', async () => {
    const inV2 = await shown(v2, vnf);
    expect(inV2).not.toHaveProperty('vnfPkgId');
    expect(inV2).not.toHaveProperty('vnfInstanceName');
    expect(inV2).toMatchObject({
      instantiationState: 'INSTANTIATED',
      extensions: { tier: 'gold' },
      instantiatedVnfInfo: {
        maxScaleLevels: expect.arrayContaining([{ aspectId: 'worker', scaleLevel: 3 }]) as object,
        vnfcResourceInfo: expect.arrayContaining([expect.objectContaining({ zoneId: 'nova' })]) as object,
      },
    });
    const { vnfcInfo = [] } = await infoOf(v2, vnf);
    expect(vnfcInfo.length).toBe(4);
    for (const { id, vduId, vnfcResourceInfoId } of vnfcInfo) expect(id).toBe(`${vduId}-${String(vnfcResourceInfoId)}`);
    const inV1 = await shown(v1, vnf);
    expect(inV1).toMatchObject({
      vnfPkgId: expect.any(String) as string,
      vnfInstanceName: `vnf-${vnf}`,
      extensions: { tier: 'gold' },
    });
    const [operation] = (await v1.get<JsonObject[]>(`/vnf_lcm_op_occs?all_fields&filter=(eq,vnfInstanceId,${vnf})`)).data;
    expect(operation?.operationParams).toMatchObject({ vimConnectionInfo: [{ id: 'vim1', vimId }], ...scalingRequest('net0') });
    for (const text of [inV1, inV2, operation].map((one) => JSON.stringify(one))) expect(text).not.toContain(SECRET);
  });

  it('is scaled and healed through v2, its VNFCs named by vnfcInfo', async () => {
    const scaled = await done(v2, `/vnf_instances/${vnf}/scale`, { type: 'SCALE_OUT', aspectId: 'worker', numberOfSteps: 1 });
    expect(scaled).toMatchObject({ resourceChanges: { affectedVnfcs: [{ vduId: 'node', changeType: 'ADDED' }] } });
    const before = await infoOf(v2, vnf);
    const [one] = before.vnfcInfo ?? [];
    const healed = await done(v2, `/vnf_instances/${vnf}/heal`, { vnfcInstanceId: [one?.id ?? ''] });
    expect(healed.operationParams).toEqual({ vnfcInstanceId: [one?.id], additionalParams: { all: false } });
    const after = await infoOf(v2, vnf);
    expect(after.vnfcInfo?.map(({ id }) => id).sort()).toEqual(before.vnfcInfo?.map(({ id }) => id).sort());
    const servers = (known: Known): unknown[] => known.vnfcResourceInfo?.map(({ computeResource }) => computeResource) ?? [];
    expect(
      servers(after).filter((server) => servers(before).every((old) => JSON.stringify(old) !== JSON.stringify(server))),
    ).toHaveLength(1);
    const refused = await v2.post<JsonObject>(`/vnf_instances/${vnf}/heal`, {
      vnfcInstanceId: [String(one?.vnfcResourceInfoId)],
    });
    expect([refused.status, refused.data.invalidParams]).toMatchObject([400, [{ path: '/vnfcInstanceId/0' }]]);
    const text = await v2.post<JsonObject>(`/vnf_instances/${vnf}/heal`, { additionalParams: { all: 'yes' } });
    expect(text.status).toBe(400);
  });

  it('is stopped and started through v2, in part by the ids of vnfcInfo', async () => {
    const { vnfcInfo = [] } = await infoOf(v2, vnf);
    const [one] = vnfcInfo;
    const states = async (): Promise<Record<string, unknown>> =>
      Object.fromEntries(((await infoOf(v2, vnf)).vnfcInfo ?? []).map(({ id, vnfcState }) => [id, vnfcState]));
    const all = (state: string) => Object.fromEntries(vnfcInfo.map(({ id }) => [id, state]));
    const path = `/vnf_instances/${vnf}/operate`;
    const part = await done(v2, path, { changeStateTo: 'STOPPED', vnfcInstanceId: [one?.id ?? ''] });
    expect(part).toMatchObject({
      operation: 'OPERATE',
      operationParams: { changeStateTo: 'STOPPED', vnfcInstanceId: [one?.id] },
    });
    expect(await states()).toEqual({ ...all('STARTED'), [one?.id ?? '']: 'STOPPED' });
    await done(v2, path, { changeStateTo: 'STOPPED', stopType: 'FORCEFUL' });
    expect(await states()).toEqual(all('STOPPED'));
    for (const api of [v1, v2]) expect(await shown(api, vnf)).toMatchObject({ instantiatedVnfInfo: { vnfState: 'STOPPED' } });
    await done(v2, path, { changeStateTo: 'STARTED' });
    expect(await states()).toEqual(all('STARTED'));
    const refused = await v2.post<JsonObject>(path, {
      changeStateTo: 'STOPPED',
      vnfcInstanceId: [String(one?.vnfcResourceInfoId)],
    });
    expect([refused.status, refused.data.invalidParams]).toMatchObject([400, [{ path: '/vnfcInstanceId/0' }]]);
    expect((await v2.post<JsonObject>(path, { changeStateTo: 'PAUSED' })).data.invalidParams).toMatchObject([
      { path: '/changeStateTo' },
    ]);
  });

  it('is connected to another network through v2, configurations of connection points by keys, and back', async () => {
    const path = `/vnf_instances/${vnf}/change_ext_conn`;
    const cpConfig = { node_1: { cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] } };
    const to = (id: string, resourceId: string) => ({
      extVirtualLinks: [{ id, resourceId, extCps: [{ cpdId: 'node_CP', cpConfig }] }],
    });
    const changed = await done(v2, path, to('other', 'net1'));
    expect(changed).toMatchObject({
      operation: 'CHANGE_EXT_CONN',
      operationParams: to('other', 'net1'),
      changedExtConnectivity: [{ id: 'net' }, { id: 'other', resourceHandle: { resourceId: 'net1' } }],
      resourceChanges: { affectedVnfcs: expect.arrayContaining([expect.objectContaining({ vduId: 'node' })]) as object },
    });
    const { data: inV1 } = await v1.get<JsonObject>(`/vnf_lcm_op_occs/${String(changed.id)}`);
    expect(inV1.operationParams).toMatchObject({ extVirtualLinks: [{ extCps: [{ cpConfig: [cpConfig.node_1] }] }] });
    expect((await infoOf(v2, vnf)).extVirtualLinkInfo?.map(({ id }) => id)).toEqual(['net', 'other']);
    await done(v2, path, to('net', 'net0'));
    expect((await infoOf(v2, vnf)).extVirtualLinkInfo?.map(({ id }) => id)).toEqual(['net']);
    const asList = {
      extVirtualLinks: [{ id: 'other', resourceId: 'net1', extCps: [{ cpdId: 'node_CP', cpConfig: [cpConfig.node_1] }] }],
    };
    for (const [body, at] of [
      [{}, '/extVirtualLinks'],
      [asList, '/extVirtualLinks/0/extCps/0/cpConfig'],
    ] as const) {
      const refused = await v2.post<JsonObject>(path, body);
      expect([refused.status, refused.data.invalidParams]).toMatchObject([400, [{ path: at }]]);
    }
  });

  it('keeps extensions, configurable properties and those of its VNFCs, each a merge patch, in both versions', async () => {
    const [one] = (await infoOf(v2, vnf)).vnfcInfo ?? [];
    const patch = {
      extensions: { tier: null, site: 'north' },
      vnfConfigurableProperties: { isAutoscaleEnabled: true, password: SECRET },
      vnfcInfoModifications: [{ id: one?.id ?? '', vnfcConfigurableProperties: { weight: 3 } }],
    };
    const { changedInfo } = await done(v2, `/vnf_instances/${vnf}`, patch, 'patch');
    const kept = { extensions: { site: 'north' }, vnfConfigurableProperties: { isAutoscaleEnabled: true, password: '***' } };
    expect(changedInfo).toEqual({ ...kept, vnfcInfoModifications: patch.vnfcInfoModifications });
    for (const api of [v1, v2]) expect(await shown(api, vnf)).toMatchObject(kept);
    expect((await infoOf(v2, vnf)).vnfcInfo?.find(({ id }) => id === one?.id)).toMatchObject({
      vnfcConfigurableProperties: { weight: 3 },
    });
    await done(
      v1,
      `/vnf_instances/${vnf}`,
      { vnfConfigurableProperties: { password: '***', isAutoscaleEnabled: null } },
      'patch',
    );
    expect(await shown(v2, vnf)).toMatchObject({ vnfConfigurableProperties: { password: '***' } });
    await done(v2, `/vnf_instances/${vnf}`, { extensions: null }, 'patch');
    expect(await shown(v1, vnf)).not.toHaveProperty('extensions');
    const unknown = await v2.patch<JsonObject>(`/vnf_instances/${vnf}`, {
      vnfcInfoModifications: [{ id: 'x', vnfcConfigurableProperties: {} }],
    });
    expect([unknown.status, unknown.data.invalidParams]).toMatchObject([400, [{ path: '/vnfcInfoModifications/0/id' }]]);
    const rows: { properties: Buffer }[] = await system.database.query('SELECT properties FROM lcm.vnf_instance WHERE id = $1', [
      vnf,
    ]);
    expect(rows[0]?.properties.includes(SECRET)).toBe(false);
  });

  it('has its connections patched key by key', async () => {
    await done(
      v2,
      `/vnf_instances/${vnf}`,
      { vimConnectionInfo: { other: { vimType: 'kubernetes', extra: { use_helm: true } } } },
      'patch',
    );
    expect((await shown(v2, vnf)).vimConnectionInfo).toMatchObject({ vim1: { vimId }, other: { vimType: 'kubernetes' } });
    await done(v2, `/vnf_instances/${vnf}`, { vimConnectionInfo: { other: null } }, 'patch');
    expect((await shown(v2, vnf)).vimConnectionInfo).toEqual({ vim1: expect.objectContaining({ vimId }) as object });
  });

  it('can’t change its package, which the answer says as the standard wants it', async () => {
    const answer = await v2.post<JsonObject>(`/vnf_instances/${vnf}/change_vnfpkg`, { vnfdId });
    expect([answer.status, answer.data]).toMatchObject([
      404,
      { status: 404, code: 'vnf-instance.no-such-task', detail: expect.stringContaining('upgrades') as string },
    ]);
    expect((await shown(v2, vnf))._links).not.toHaveProperty('changeCurrentVnfPkg');
  });

  it('is found in v2’s lists by its filters, with what they leave out by default', async () => {
    const [entry, ...others] = (await v2.get<JsonObject[]>(`/vnf_instances?filter=(eq,id,'${vnf}')`)).data;
    expect(others).toEqual([]);
    for (const name of ['instantiatedVnfInfo', 'vimConnectionInfo', 'metadata', 'extensions', 'vnfConfigurableProperties'])
      expect(entry).not.toHaveProperty(name);
    const found = async (query: string): Promise<string[]> =>
      (await v2.get<{ id: string }[]>(`/vnf_instances?${query}`)).data.map(({ id }) => id);
    expect(await found('filter=(eq,vimConnectionInfo/@key,vim1)')).toEqual([vnf]);
    expect(await found("filter=(eq,vimConnectionInfo/@key,'it''s none')")).toEqual([]);
    const [whole] = (await v2.get<JsonObject[]>('/vnf_instances?fields=instantiatedVnfInfo/vnfState,vimConnectionInfo')).data;
    expect(whole).toMatchObject({ instantiatedVnfInfo: { vnfState: 'STARTED' }, vimConnectionInfo: { vim1: {} } });
    for (const query of ['filter=(like,id,x)', 'fields=nothing', 'all_fields&fields=id', 'nobody=1'])
      expect((await v2.get(`/vnf_instances?${query}`)).status).toBe(400);
    const [operation] = (await v2.get<JsonObject[]>(`/vnf_lcm_op_occs?filter=(eq,vnfInstanceId,${vnf})`)).data;
    expect(operation).not.toHaveProperty('operationParams');
    expect((operation?._links as JsonObject).self).toMatchObject({
      href: expect.stringContaining('/vnflcm/v2/vnf_lcm_op_occs/') as string,
    });
  });
});

describe('an instance made through v1', () => {
  it('is operated through v2, and what v1 asked is shown in v2’s form', async () => {
    const vnf = await created(v1);
    const operation = await done(v1, `/vnf_instances/${vnf}/instantiate`, scalingRequest('net0') as unknown as JsonObject);
    const { data } = await v2.get<JsonObject>(`/vnf_lcm_op_occs/${String(operation.id)}`);
    const [link] = (data.operationParams as { extVirtualLinks: { extCps: { cpConfig: object }[] }[] }).extVirtualLinks;
    expect(link?.extCps[0]?.cpConfig).toEqual({ '0': { cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] } });
    await terminated(v2, vnf);
  });
});

describe('what v2 refuses', () => {
  it('is 422 for a VNFD that no package has', async () => {
    const answer = await v2.post<JsonObject>('/vnf_instances', { vnfdId: 'any text will do' });
    expect([answer.status, answer.data]).toMatchObject([
      422,
      { status: 422, detail: expect.stringContaining('any text will do') as string },
    ]);
  });

  it('is an operation that fails there as in v1: state, length of grace, unknown aspect', async () => {
    const vnf = await created(v2);
    const path = `/vnf_instances/${vnf}`;
    expect((await v2.post(`${path}/scale`, { type: 'SCALE_OUT', aspectId: 'worker' })).status).toBe(409);
    const grace = { terminationType: 'GRACEFUL', gracefulTerminationTimeout: 0 };
    expect((await v2.post(`${path}/terminate`, grace)).status).toBe(400);
    const list = await v2.post<JsonObject>(`${path}/instantiate`, scalingRequest('net0'));
    expect([list.status, list.data.invalidParams]).toMatchObject([
      400,
      [{ path: '/extVirtualLinks/0/extCps/0/cpConfig' }, {}, {}, {}],
    ]);
    expect((await v2.delete(path)).status).toBe(204);
  });
});

describe('a failed operation', () => {
  it('is retried, rolled back, cancelled and failed through v2', async () => {
    const failed = async (): Promise<{ vnf: string; op: string }> => {
      const vnf = await created(v2);
      system.emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', stackName: `vnf-${vnf}`, reason: 'none', times: 1 });
      const accepted = await v2.post<unknown>(`/vnf_instances/${vnf}/instantiate`, instantiation());
      const { id, operationState } = await atRest(v2, accepted, seconds(60), (location) => location.replace('/vnflcm/v2', ''));
      expect(operationState).toBe('FAILED_TEMP');
      return { vnf, op: `/vnf_lcm_op_occs/${String(id)}` };
    };
    const ended = async (op: string, state: string): Promise<void> => {
      const answer = { status: 202, headers: { location: `http://here${op}` } } as never;
      expect(await atRest(v2, answer, seconds(60))).toMatchObject({ operationState: state });
    };
    const retried = await failed();
    expect((await v2.post(`${retried.op}/retry`)).status).toBe(202);
    await ended(retried.op, 'COMPLETED');
    expect((await v2.post(`${retried.op}/cancel`, { cancelMode: 'GRACEFUL' })).status).toBe(409);
    expect((await v2.post(`${retried.op}/cancel`, { cancelMode: 'SOON' })).status).toBe(400);
    await terminated(v2, retried.vnf);
    const back = await failed();
    expect((await v2.post(`${back.op}/rollback`)).status).toBe(202);
    await ended(back.op, 'ROLLED_BACK');
    const given = await failed();
    const answer = await v2.post<JsonObject>(`${given.op}/fail`);
    expect([answer.status, answer.data]).toMatchObject([
      200,
      { operationState: 'FAILED', error: { status: 502 }, _links: { self: {} } },
    ]);
    for (const { vnf } of [back, given]) expect((await v2.delete(`/vnf_instances/${vnf}`)).status).toBe(204);
  });
});
