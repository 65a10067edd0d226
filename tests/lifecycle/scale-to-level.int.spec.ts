import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { schemaErrors } from '@windlass/sol003/schemas';
import { smallestPackage, VNFD_ID, zipOf } from '@windlass/vnf-package/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nodesByLevel, scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { aNewSecond, vnfView, type VnfView } from '../support/vnf-view.js';

const vnfdId = randomUUID();
const nodesByLevelId = randomUUID();
let system: System;
let vnf: VnfView;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  await onboardZip(system.api, scalingPackage(vnfdId));
  await onboardZip(system.api, scalingPackage(nodesByLevelId, nodesByLevel));
});
afterAll(() => system.close());

const ask = (body: JsonObject) => system.api.post<JsonObject>(`${vnf.url}/scale_to_level`, body);
const scaled = async (body: JsonObject): Promise<JsonObject> => {
  const op = await atRest(system.api, await ask(body));
  expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED', operation: 'SCALE_TO_LEVEL' });
  return op;
};
const at = (aspectId: string, scaleLevel: number) => ({ aspectId, scaleLevel });
const affected = ({ resourceChanges }: JsonObject): string[] =>
  (resourceChanges as { affectedVnfcs: { changeType: string; vduId: string }[] }).affectedVnfcs
    .map(({ changeType, vduId }) => `${changeType} ${vduId}`)
    .sort();
const sizes = async (): Promise<Record<string, number>> => {
  const vdus = (await vnf.vnfcs()).map(({ vduId }) => vduId);
  return Object.fromEntries(['web', 'db', 'node'].map((vdu) => [vdu, vdus.filter((each) => each === vdu).length]));
};

describe('a VNF whose aspects scale', () => {
  beforeEach(async () => {
    vnf = await vnfView(system, vnfdId, scalingRequest('net0'));
  });
  afterEach(() => vnf.remove());

  it('goes to a level of its VNFD, whatever aspects move for it, by one update; and stands there afterwards without one', async () => {
    const before = await vnf.vnfcs();
    const wide = await scaled({ instantiationLevelId: 'wide' });
    expect(schemaErrors('VnfLcmOpOcc', wide)).toEqual([]);
    expect(wide.operationParams).toEqual({ instantiationLevelId: 'wide' });
    expect(affected(wide)).toEqual(['ADDED db', 'ADDED db', 'ADDED node', 'ADDED node', 'ADDED web']);
    expect(await vnf.vnfcs()).toEqual(expect.arrayContaining(before));
    expect(await vnf.levels()).toMatchObject({ pair: 1, worker: 2, none: 0, lone: 0 });
    expect(await sizes()).toEqual({ web: 2, db: 3, node: 3 });

    const { status, data } = await system.api.get<JsonObject>(vnf.url.replace('v1', 'v2'), { headers: { Version: '2.0.0' } });
    expect(status).toBe(200);
    expect(data._links).toHaveProperty('scaleToLevel');
    const list = await system.api.get<JsonObject[]>('/vnflcm/v1/vnf_instances');
    expect(list.data.find(({ id }) => vnf.url.endsWith(String(id)))?._links).toHaveProperty('scaleToLevel');
    const servers = (await vnf.serverIds()).sort();
    const again = await scaled({ instantiationLevelId: 'wide' });
    expect(again).not.toHaveProperty('resourceChanges');
    expect((await vnf.serverIds()).sort()).toEqual(servers);
  });

  it('moves the aspects of a list, more of one and less of another; those that leave are the newest, or the oldest where it is asked so', async () => {
    const [first] = await vnf.ofVdu('node');
    await aNewSecond();
    await scaled({ scaleInfo: [at('worker', 1)] });
    const [second] = (await vnf.ofVdu('node')).filter((id) => id !== first);
    await aNewSecond();
    await scaled({ scaleInfo: [at('worker', 2)] });
    const [third] = (await vnf.ofVdu('node')).filter((id) => id !== first && id !== second);
    const kept = await vnf.ofVdu('web');

    const mixed = await scaled({ scaleInfo: [at('pair', 2), at('worker', 1)] });
    expect(affected(mixed)).toEqual(['ADDED db', 'ADDED db', 'ADDED db', 'ADDED db', 'ADDED web', 'ADDED web', 'REMOVED node']);
    expect(mixed.resourceChanges).toMatchObject({
      affectedVnfcs: expect.arrayContaining([expect.objectContaining({ id: third, changeType: 'REMOVED' })]) as object,
    });
    expect(await vnf.levels()).toMatchObject({ pair: 2, worker: 1 });
    expect((await vnf.ofVdu('node')).sort()).toEqual([first, second].sort());
    expect(await vnf.ofVdu('web')).toEqual(expect.arrayContaining(kept));
    expect(schemaErrors('VnfInstance', await vnf.show())).toEqual([]);

    await scaled({ scaleInfo: [at('worker', 0)], additionalParams: { is_reverse: 'False' } });
    expect(await vnf.ofVdu('node')).toEqual([second]);
    expect(await sizes()).toEqual({ web: 3, db: 5, node: 1 });
    expect(await vnf.servers()).toHaveLength(10);
  });

  it('is asked for it in vain while another operation is not final, and while it should be stopped', async () => {
    system.emulator.faults.add({ kind: 'slow-stack', delayMs: 1_000, stackName: '^vnf-', times: 1 });
    const first = await ask({ instantiationLevelId: 'tall' });
    expect(await ask({ instantiationLevelId: 'small' })).toMatchObject({ status: 409, data: { code: 'vnf-instance.busy' } });
    expect(await atRest(system.api, first)).toMatchObject({ operationState: 'COMPLETED' });
    await atRest(system.api, await system.api.post(`${vnf.url}/operate`, { changeStateTo: 'STOPPED' }));
    expect(await ask({ instantiationLevelId: 'small' })).toMatchObject({ status: 409, data: { code: 'vnf-instance.stopped' } });
  });
});

describe('a request to scale to a level', () => {
  beforeAll(async () => {
    vnf = await vnfView(system, vnfdId, scalingRequest('net0'));
  });
  afterAll(() => vnf.remove());

  it.each([
    [{}, '', 'got neither'],
    [{ instantiationLevelId: 'wide', scaleInfo: [at('pair', 1)] }, '/scaleInfo', 'got both'],
    [{ instantiationLevelId: 'moon' }, '/instantiationLevelId', 'it has "small", "wide", "tall"'],
    [{ instantiationLevelId: 7 }, '/instantiationLevelId', ''],
    [{ scaleInfo: [] }, '/scaleInfo', ''],
    [{ scaleInfo: [{ aspectId: 'pair' }] }, '/scaleInfo/0/scaleLevel', ''],
    [{ scaleInfo: [at('pair', 1), at('moon', 1)] }, '/scaleInfo/1/aspectId', 'no aspect "moon"'],
    [{ scaleInfo: [at('pair', 1), at('pair', 2)] }, '/scaleInfo/1/aspectId', 'each aspect once'],
    [{ scaleInfo: [at('worker', 4)] }, '/scaleInfo/0/scaleLevel', 'levels 0 to 3, not at 4'],
    [{ scaleInfo: [at('worker', -1)] }, '/scaleInfo/0/scaleLevel', ''],
    [{ scaleInfo: [at('worker', 0.5)] }, '/scaleInfo/0/scaleLevel', ''],
    [{ scaleInfo: [at('none', 1)] }, '/scaleInfo/0/aspectId', 'how many instances'],
    [{ scaleInfo: [at('lone', 1)] }, '/scaleInfo/0/aspectId', 'no auto scaling group'],
    [{ scaleInfo: [at('pair', 1)], additionalParams: { is_reverse: 'maybe' } }, '/additionalParams/is_reverse', 'True'],
  ])('%j is refused at its field', async (body, path, words) => {
    const { status, data } = await ask(body);
    expect([status, data]).toMatchObject([400, { detail: expect.stringContaining(words) as string, invalidParams: [{ path }] }]);
  });
});

describe('a VNF whose VNFD says by its levels alone how many of a VDU there are', () => {
  it('gets as many as the level says; a list of aspects leaves them as they are, and so does a heal of the whole', async () => {
    vnf = await vnfView(system, nodesByLevelId, scalingRequest('net0'));
    await scaled({ instantiationLevelId: 'wide' });
    expect(await sizes()).toEqual({ web: 2, db: 3, node: 3 });
    await scaled({ scaleInfo: [at('pair', 0)] });
    expect(await sizes()).toEqual({ web: 1, db: 1, node: 3 });
    await atRest(system.api, await system.api.post(`${vnf.url}/heal`, {}));
    expect(await sizes()).toEqual({ web: 1, db: 1, node: 3 });
    expect(affected(await scaled({ instantiationLevelId: 'small' }))).toEqual(['REMOVED node', 'REMOVED node']);
    await vnf.remove();
  });
});

describe('a VNF that can not be scaled', () => {
  it('is refused and not offered it: 409 before it is instantiated, 404 where its VNFD has no aspect', async () => {
    await onboardZip(system.api, zipOf(smallestPackage()));
    const url = await createVnf(system.api, VNFD_ID);
    const post = () => system.api.post<JsonObject>(`${url}/scale_to_level`, { instantiationLevelId: 'wide' });
    const links = async () => (await system.api.get<JsonObject>(url)).data._links;
    expect(await post()).toMatchObject({ status: 409, data: { code: 'vnf-instance.wrong-state' } });
    const { flavourId, extVirtualLinks } = scalingRequest('net0');
    const only = extVirtualLinks.map((link) => ({ ...link, extCps: link.extCps.filter(({ cpdId }) => cpdId === 'VDU1_CP1') }));
    const made = await system.api.post(`${url}/instantiate`, { flavourId, extVirtualLinks: only });
    expect(await atRest(system.api, made)).toMatchObject({ operationState: 'COMPLETED' });
    expect(await post()).toMatchObject({ status: 404, data: { code: 'vnf-instance.no-task' } });
    const offered = await links();
    expect(isJsonObject(offered) && 'scaleToLevel' in offered).toBe(false);
    expect(offered).toHaveProperty('terminate');
    await atRest(system.api, await system.api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
    expect((await system.api.delete(url)).status).toBe(204);
  });
});
