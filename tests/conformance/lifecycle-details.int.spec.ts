import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

/**
 * What conformance suites ask of instances and operation occurrences, and mistakes of the reference system that must not come back. That each
 * answer follows ETSI's schema, has its media type, Version, Location and Allow, is seen to by tests/support/watched-answers.ts.
 */
let system: System;
let vnfdId: unknown;
let request: JsonObject;

const INSTANCES = '/vnflcm/v1/vnf_instances';
const OP_OCCS = '/vnflcm/v1/vnf_lcm_op_occs';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
  request = await sampleRequest('instantiate-simple-vm.json', 'net0');
});
afterAll(() => system.close());

const get = (path: string) => system.api.get<JsonObject>(path);
const list = (path: string) => system.api.get<JsonObject[]>(path);
const patch = (path: string, body: JsonObject, headers: Record<string, string> = {}) =>
  system.api.patch<JsonObject>(path, body, { headers: { 'Content-Type': 'application/merge-patch+json', ...headers } });
const instantiated = async (more: JsonObject = {}): Promise<string> => {
  const url = await createVnf(system.api, vnfdId, more);
  const op = await atRest(system.api, await system.api.post(`${url}/instantiate`, request));
  expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
  return url;
};
/** An instance whose instantiation stands at FAILED_TEMP. */
const failed = async (): Promise<{ url: string; op: JsonObject }> => {
  system.emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', action: 'CREATE', reason: 'no host', times: 1 });
  const url = await createVnf(system.api, vnfdId);
  const op = await atRest(system.api, await system.api.post(`${url}/instantiate`, request));
  expect(op).toMatchObject({ operationState: 'FAILED_TEMP' });
  return { url, op };
};
const task = (op: JsonObject, name: string, body: JsonObject = {}) =>
  system.api.post<JsonObject>(`${OP_OCCS}/${String(op.id)}/${name}`, body);

describe('demand 1: a task resource that no VNF here supports', () => {
  it.each(['change_flavour'])('%s is 404 that says so, and has no method but POST', async (name) => {
    const url = await createVnf(system.api, vnfdId);
    const answer = await system.api.post<JsonObject>(`${url}/${name}`, {});
    expect(answer).toMatchObject({ status: 404, data: { code: 'vnf-instance.no-task' } });
    expect(answer.data.detail).toContain(`has no task ${name}`);
    const { status, headers } = await get(`${url}/${name}`);
    expect([status, headers.allow]).toEqual([405, 'POST']);
    expect((await system.api.post(`${INSTANCES}/${UNKNOWN}/${name}`, {})).status).toBe(404);
    expect(Object.keys((await get(url)).data._links as JsonObject)).toEqual(['self', 'instantiate']);
  });
});

describe('demand 3: a query that means nothing', () => {
  it.each([
    'attribute_not_exist=x',
    'filter=bogus',
    'filter=(eq,vnfdId',
    'filter=(like,id,x)',
    'filter=(eq,attribute_not_exist,x)',
    'filter=(eq,id)',
    'filter=(eq,id,x)&filter=(eq,id,y)',
    'fields=attribute_not_exist',
    'exclude_fields=attribute_not_exist',
    'fields=id&exclude_fields=_links',
    'all_fields&fields=id',
    'all_fields&exclude_default',
    'all_fields&exclude_fields=_links',
    'nextpage_opaque_marker=',
  ])('?%s is 400, of instances and of occurrences', async (query) => {
    for (const path of [INSTANCES, OP_OCCS]) expect((await get(`${path}?${query}`)).status, path).toBe(400);
  });

  it('is 400 of a single resource, too, and so is a marker that is no id', async () => {
    const url = await createVnf(system.api, vnfdId);
    expect((await get(`${url}?attribute_not_exist=x`)).status).toBe(400);
    for (const path of [INSTANCES, OP_OCCS]) expect((await get(`${path}?nextpage_opaque_marker=no-id`)).status, path).toBe(400);
  });
});

describe('demand 5: what a list shows', () => {
  const INSTANCE_COMPLEX = ['instantiatedVnfInfo', 'vimConnectionInfo', 'metadata'];
  const OP_OCC_COMPLEX = ['operationParams', 'resourceChanges', 'error', 'changedInfo', 'changedExtConnectivity'];
  let url: string;
  beforeAll(async () => void (url = await instantiated({ metadata: { some: 'thing' } })));
  const shown = async (path: string, query: string): Promise<JsonObject> => {
    const id = url.split('/').at(-1) ?? '';
    const filter = path === INSTANCES ? `(eq,id,${id})` : `(eq,vnfInstanceId,${id})`;
    const { status, data } = await list(`${path}?filter=${filter}${query}`);
    expect(status, JSON.stringify(data)).toBe(200);
    expect(data).toHaveLength(1);
    return data[0]!;
  };
  const has = (object: JsonObject, names: string[]) => names.filter((name) => Object.hasOwn(object, name));

  it('leaves out the complex attributes of instances by default, and shows what a selector asks for', async () => {
    expect(has(await shown(INSTANCES, ''), INSTANCE_COMPLEX)).toEqual([]);
    expect(has(await shown(INSTANCES, '&exclude_default'), INSTANCE_COMPLEX)).toEqual([]);
    const all = await shown(INSTANCES, '&all_fields');
    expect(all).toEqual((await get(url)).data);
    expect(has(all, INSTANCE_COMPLEX)).toEqual(INSTANCE_COMPLEX);
    expect(has(await shown(INSTANCES, '&fields=metadata'), INSTANCE_COMPLEX)).toEqual(['metadata']);
    expect((await shown(INSTANCES, '&fields=instantiatedVnfInfo/vnfState')).instantiatedVnfInfo).toEqual({
      flavourId: 'default',
      vnfState: 'STARTED',
    });
    for (const excluded of ['&exclude_fields=metadata', '&exclude-fields=metadata'])
      expect(has(await shown(INSTANCES, excluded), INSTANCE_COMPLEX)).toEqual(['instantiatedVnfInfo', 'vimConnectionInfo']);
  });

  it('does the same for occurrences', async () => {
    expect(has(await shown(OP_OCCS, ''), OP_OCC_COMPLEX)).toEqual([]);
    expect(has(await shown(OP_OCCS, '&exclude_default'), OP_OCC_COMPLEX)).toEqual([]);
    const all = await shown(OP_OCCS, '&all_fields');
    expect(all).toEqual((await get(`${OP_OCCS}/${String(all.id)}`)).data);
    expect(has(all, OP_OCC_COMPLEX)).toEqual(['operationParams', 'resourceChanges']);
    expect(has(await shown(OP_OCCS, '&fields=operationParams'), OP_OCC_COMPLEX)).toEqual(['operationParams']);
    for (const excluded of ['&exclude_fields=operationParams', '&exclude-fields=operationParams'])
      expect(has(await shown(OP_OCCS, excluded), OP_OCC_COMPLEX)).toEqual(['resourceChanges']);
  });

  it('finds by attributes that it does not show', async () => {
    const found = await list(`${INSTANCES}?filter=(eq,metadata/some,thing);(eq,instantiatedVnfInfo/vnfState,STARTED)`);
    expect(found.data.map(({ id }) => id)).toEqual([url.split('/').at(-1)]);
    expect(has(found.data[0]!, INSTANCE_COMPLEX)).toEqual([]);
    expect((await list(`${INSTANCES}?filter=(eq,metadata/some,other)`)).data).toEqual([]);
  });
});

describe('demand 7: PATCH of an instance', () => {
  it('honours If-Match: 202 for the entity tag that GET told, 412 for another, after which nothing has changed', async () => {
    const url = await createVnf(system.api, vnfdId);
    const { etag } = (await get(url)).headers as { etag: string };
    const op = await atRest(system.api, await patch(url, { vnfInstanceName: 'one' }, { 'If-Match': `"other", ${etag}` }));
    expect(op).toMatchObject({ operation: 'MODIFY_INFO', operationState: 'COMPLETED', changedInfo: { vnfInstanceName: 'one' } });
    for (const tag of [etag, '"other"', `W/${etag}`, 'nonsense'])
      expect(await patch(url, { vnfInstanceName: 'two' }, { 'If-Match': tag }), tag).toMatchObject({ status: 412 });
    expect((await get(url)).data.vnfInstanceName).toBe('one');
    expect((await get(url)).headers.etag).not.toBe(etag);
    expect((await atRest(system.api, await patch(url, { vnfInstanceName: null }, { 'If-Match': '*' }))).operationState).toBe(
      'COMPLETED',
    );
    expect((await get(url)).data.vnfInstanceName).toBe(`vnf-${String(url.split('/').at(-1))}`);
  });

  it('is possible before instantiation, and 409 while another operation is not final: in PROCESSING, and at FAILED_TEMP', async () => {
    const url = await createVnf(system.api, vnfdId);
    expect(await atRest(system.api, await patch(url, { metadata: { a: 'b' } }))).toMatchObject({
      operationState: 'COMPLETED',
      changedInfo: { metadata: { a: 'b' } },
    });
    system.emulator.faults.add({ kind: 'slow-stack', delayMs: 1_500, times: 1 });
    const running = await system.api.post(`${url}/instantiate`, request);
    expect(await patch(url, { metadata: { a: 'c' } })).toMatchObject({ status: 409, data: { code: 'vnf-instance.busy' } });
    await atRest(system.api, running);
    const at = await failed();
    expect(await patch(at.url, { metadata: {} })).toMatchObject({ status: 409 });
    expect((await task(at.op, 'fail')).status).toBe(200);
    expect(await atRest(system.api, await patch(at.url, { metadata: { x: 'y' } }))).toMatchObject({
      operationState: 'COMPLETED',
    });
  });
});

describe('demands 8 and 10: tasks on an occurrence', () => {
  it('are 404 of one that is not there, and 409 in a state that has no such task', async () => {
    const url = await instantiated();
    const { data } = await list(`${OP_OCCS}?filter=(eq,vnfInstanceId,${String(url.split('/').at(-1))})`);
    for (const name of ['retry', 'rollback', 'fail', 'cancel']) {
      expect((await task({ id: UNKNOWN }, name, { cancelMode: 'GRACEFUL' })).status).toBe(404);
      expect((await task(data[0]!, name, { cancelMode: 'GRACEFUL' })).status).toBe(409);
    }
  });

  it('lead on: rollback to ROLLED_BACK, fail to FAILED with the occurrence in its answer, retry to COMPLETED', async () => {
    const one = await failed();
    expect(one.op.error).toMatchObject({ detail: expect.stringContaining('no host') as string });
    await task(one.op, 'rollback');
    const rolled = await atRestAgain(one.op);
    expect(rolled.operationState).toBe('ROLLED_BACK');
    const two = await failed();
    expect(await task(two.op, 'fail')).toMatchObject({ status: 200, data: { id: two.op.id, operationState: 'FAILED' } });
    const three = await failed();
    await task(three.op, 'retry');
    const retried = await atRestAgain(three.op);
    expect(retried.operationState).toBe('COMPLETED');
    expect((retried.resourceChanges as JsonObject).affectedVnfcs).toMatchObject([{ vduId: 'VDU1', changeType: 'ADDED' }]);
  });
});

/** The occurrence after a task on one that stood at FAILED_TEMP. */
const atRestAgain = async (op: JsonObject): Promise<JsonObject> => {
  const left = (found: JsonObject) => found.stateEnteredTime !== op.stateEnteredTime;
  for (;;) {
    const answer = { status: 202, headers: { location: `http://x${OP_OCCS}/${String(op.id)}` } };
    const found = await atRest(system.api, answer as never);
    if (left(found)) return found;
  }
};

describe('mistakes of the reference system', () => {
  it('an instance works on the default VIM without any vimConnectionInfo, and without ipOverEthernet in cpProtocolData', async () => {
    expect(JSON.stringify(request)).not.toMatch(/vimConnectionInfo|ipOverEthernet/);
    const url = await instantiated();
    const { instantiatedVnfInfo, vimConnectionInfo } = (await get(url)).data;
    const { vnfcResourceInfo } = instantiatedVnfInfo as unknown as { vnfcResourceInfo: { computeResource: JsonObject }[] };
    expect(vnfcResourceInfo).toHaveLength(1);
    expect(vimConnectionInfo).toEqual([
      { id: vnfcResourceInfo[0]?.computeResource.vimConnectionId, vimId: expect.any(String) as string, vimType: 'openstack' },
    ]);
  });

  it('a second instance may have the name of the first', async () => {
    const [one, two] = [await instantiated({ vnfInstanceName: 'twin' }), await instantiated({ vnfInstanceName: 'twin' })];
    expect(one).not.toBe(two);
    expect((await list(`${INSTANCES}?filter=(eq,vnfInstanceName,twin)`)).data).toHaveLength(2);
  });

  it('each state has the time at which it was entered', async () => {
    system.emulator.faults.add({ kind: 'slow-stack', delayMs: 1_000, times: 1 });
    const url = await createVnf(system.api, vnfdId);
    const accepted = await system.api.post(`${url}/instantiate`, request);
    const path = new URL(String(accepted.headers.location)).pathname;
    const during = (await get(path)).data;
    const end = await atRest(system.api, accepted);
    expect(String(end.startTime)).toBe(String(during.startTime));
    expect(Date.parse(String(during.stateEnteredTime))).toBeGreaterThanOrEqual(Date.parse(String(end.startTime)));
    expect(Date.parse(String(end.stateEnteredTime)) - Date.parse(String(during.stateEnteredTime))).toBeGreaterThan(500);
  });
});
