import { millis, minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { schemaErrors } from '@windlass/sol003/schemas';
import type { AxiosResponse } from 'axios';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atRest, onboardZip, registerVim, startSystem, type System, warningsOf } from '../support/system.js';
import { healable, HealedVnf, type ShownVnfc } from './support/healable.js';

/** As many as the workers of the VNF, so that their anti-affinity group is full. */
const HOSTS = ['compute01', 'compute02'];

let system: System;
let empty: string[];
let vnf: HealedVnf;

beforeAll(async () => {
  system = await startSystem({ emulator: { computeHosts: HOSTS } });
  await registerVim(system);
  await onboardZip(system.api, healable());
  empty = things();
});

afterAll(() => system.close());

beforeEach(async () => {
  system.emulator.faults.clear();
  vnf = await HealedVnf.instantiate(system);
});

/** Everything that the VIM holds, a word each. */
const things = (): string[] =>
  system.emulator
    .inventory()
    .flatMap(({ project, ...kinds }) =>
      Object.entries(kinds).flatMap(([kind, all]) => all.map(({ id }) => `${project} ${kind} ${id}`)),
    );

/** Nothing is left of a VNF, however its heals went. */
afterEach(async () => {
  await vnf.terminate();
  expect(things()).toEqual(empty);
});

const servers = (vnfcs: readonly ShownVnfc[]): string[] => vnfcs.map(({ computeResource }) => computeResource.resourceId);
const ids = (vnfcs: readonly ShownVnfc[]): string[] => vnfcs.map(({ id }) => id);
const addresses = (vnfcs: readonly ShownVnfc[]): string[] =>
  vnfcs.map(({ vnfcCpInfo }) => JSON.stringify(vnfcCpInfo.map(({ cpProtocolInfo }) => cpProtocolInfo)));
const volumeOf = async (): Promise<unknown> => {
  const { instantiatedVnfInfo } = (await vnf.shown()) as {
    instantiatedVnfInfo: { virtualStorageResourceInfo: { storageResource: { resourceId: string } }[] };
  };
  return instantiatedVnfInfo.virtualStorageResourceInfo[0]?.storageResource.resourceId;
};
const failNext = (resource: string, reason = 'Quota exceeded'): void =>
  void system.emulator.faults.add({ kind: 'fail-resource', resource, action: 'CREATE', reason, times: 1 });
const task = (op: JsonObject, name: string) =>
  system.api.post<JsonObject>(
    `/vnflcm/v1/vnf_lcm_op_occs/${String(op.id)}/${name}`,
    name === 'cancel' ? { cancelMode: 'FORCEFUL' } : {},
  );

describe('heal of named VNFCs', () => {
  it('replaces the VM behind the id and keeps addresses; the others stay as they are', async () => {
    const before = await vnf.ofVdu('VDU1');
    const [target, other] = before;
    const op = await vnf.heal({ vnfcInstanceId: [target?.id ?? ''], cause: 'it hangs' });
    expect(op, JSON.stringify(op)).toMatchObject({ operation: 'HEAL', operationState: 'COMPLETED' });
    expect(schemaErrors('VnfLcmOpOcc', op)).toEqual([]);
    const after = await vnf.ofVdu('VDU1');
    expect(ids(after).sort()).toEqual(ids(before).sort());
    const healed = after.filter(({ id }) => id === target?.id);
    expect(servers(healed)).not.toEqual([target?.computeResource.resourceId]);
    expect(addresses(healed)).toEqual(addresses(before.slice(0, 1)));
    expect(servers(after)).toContain(other?.computeResource.resourceId);
    expect(op.resourceChanges).toMatchObject({
      affectedVnfcs: [{ id: target?.id, changeType: 'MODIFIED', computeResource: healed[0]?.computeResource }],
    });
    expect(schemaErrors('VnfInstance', await vnf.shown())).toEqual([]);
  });

  it('replaces the volumes with their VM, and keeps them where that is asked for', async () => {
    const [storage] = await vnf.ofVdu('storage');
    const volume = await volumeOf();
    const both = await vnf.heal({ vnfcInstanceId: [storage?.id ?? ''] });
    expect(both, JSON.stringify(both)).toMatchObject({ operationState: 'COMPLETED' });
    expect(both.resourceChanges).toMatchObject({ affectedVirtualStorages: [{ changeType: 'MODIFIED' }] });
    const second = await volumeOf();
    expect(second).not.toBe(volume);
    const kept = await vnf.heal({
      vnfcInstanceId: [storage?.id ?? ''],
      additionalParams: { tacker_extension_heal_include_block_storage: false },
    });
    expect(kept, JSON.stringify(kept)).toMatchObject({ operationState: 'COMPLETED' });
    expect(await volumeOf()).toBe(second);
    expect(new Set([...servers(await vnf.ofVdu('storage')), storage?.computeResource.resourceId]).size).toBe(2);
  });

  it('works where as many members as hosts are kept apart, all of them at once', async () => {
    const before = await vnf.ofVdu('VDU1');
    expect(before).toHaveLength(HOSTS.length);
    const op = await vnf.heal({ vnfcInstanceId: ids(before) });
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    expect(servers(await vnf.ofVdu('VDU1')).filter((id) => servers(before).includes(id))).toEqual([]);
  });

  it('is refused before it begins: unknown VNFCs with their path, parameters of a wrong type, a VNF that is busy or not there', async () => {
    const [known] = await vnf.vnfcs();
    const unknown = await vnf.ask({ vnfcInstanceId: [known?.id ?? '', 'nobody'] });
    expect(unknown.status).toBe(400);
    expect(unknown.data).toMatchObject({ invalidParams: [{ path: '/vnfcInstanceId/1' }] });
    for (const [additionalParams, path] of [
      [{ tacker_extension_heal_include_block_storage: 'yes' }, '/additionalParams/tacker_extension_heal_include_block_storage'],
      [{ all: 1 }, '/additionalParams/all'],
    ] as const) {
      const refused = await vnf.ask({ additionalParams });
      expect(refused.status).toBe(400);
      expect(refused.data).toMatchObject({ invalidParams: [{ path }] });
    }
    const none = await vnf.ask({ vnfcInstanceId: [] });
    expect(none.data).toMatchObject({ status: 400, invalidParams: [{ path: '/vnfcInstanceId' }] });
    const { data: fresh } = await system.api.post<JsonObject>('/vnflcm/v1/vnf_instances', {
      vnfdId: (await vnf.shown()).vnfdId,
    });
    expect(fresh._links).not.toHaveProperty('heal');
    expect((await system.api.post(`/vnflcm/v1/vnf_instances/${String(fresh.id)}/heal`, {})).status).toBe(409);
    expect((await system.api.delete(`/vnflcm/v1/vnf_instances/${String(fresh.id)}`)).status).toBe(204);
    expect((await vnf.shown())._links).toHaveProperty('heal');
  });
});

describe('heal of the whole', () => {
  it('deletes and makes anew: every id is another one, and the size is the same', async () => {
    const before = await vnf.vnfcs();
    const op = await vnf.heal({});
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    const after = await vnf.vnfcs();
    expect(after).toHaveLength(before.length);
    expect(ids(after).filter((id) => ids(before).includes(id))).toEqual([]);
    const { affectedVnfcs } = op.resourceChanges as { affectedVnfcs: { changeType: string }[] };
    expect(affectedVnfcs.map(({ changeType }) => changeType).sort()).toEqual([
      ...before.map(() => 'ADDED'),
      ...before.map(() => 'REMOVED'),
    ]);
    expect(await vnf.heal({ vnfcInstanceId: ids(after).slice(0, 1) })).toMatchObject({ operationState: 'COMPLETED' });
  });

  it('replaces every VM in its place where all is false', async () => {
    const before = await vnf.vnfcs();
    const op = await vnf.heal({ additionalParams: { all: false, tacker_extension_heal_include_block_storage: true } });
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    const after = await vnf.vnfcs();
    expect(ids(after).sort()).toEqual(ids(before).sort());
    expect(servers(after).filter((id) => servers(before).includes(id))).toEqual([]);
    expect(addresses(after).sort()).toEqual(addresses(before).sort());
  });

  it('that fails after the deletion is retried to the end', async () => {
    failNext('storage');
    const op = await vnf.heal({});
    expect(op).toMatchObject({ operationState: 'FAILED_TEMP', error: { detail: expect.stringContaining('Quota') as string } });
    const back = await task(op, 'rollback');
    expect(back.status).toBe(409);
    expect(String(back.data.detail)).toContain('delete-stack');
    expect(await vnf.task(op, 'retry')).toMatchObject({ operationState: 'COMPLETED' });
    expect(await vnf.vnfcs()).toHaveLength(3);
  });

  it('that is marked as failed after the deletion leaves a VNF that can be healed again, and terminated to nothing', async () => {
    failNext('storage');
    const op = await vnf.heal({});
    expect(op).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect((await task(op, 'fail')).data).toMatchObject({ operationState: 'FAILED' });
    expect(await vnf.heal({})).toMatchObject({ operationState: 'COMPLETED' });
    failNext('storage');
    const again = await vnf.heal({});
    expect((await task(again, 'fail')).status).toBe(200);
  });
});

describe('a heal whose replacement fails', () => {
  it('is past its pivot: rollback is refused with its name, and a retry ends it well', async () => {
    const before = await vnf.ofVdu('VDU1');
    failNext('VDU1');
    const op = await vnf.heal({ vnfcInstanceId: [before[0]?.id ?? ''] });
    expect(op, JSON.stringify(op)).toMatchObject({
      operationState: 'FAILED_TEMP',
      error: { detail: expect.stringContaining('Quota exceeded') as string },
    });
    const back = await task(op, 'rollback');
    expect(back.status).toBe(409);
    expect(String(back.data.detail)).toContain('replace-servers');
    expect(await vnf.task(op, 'retry')).toMatchObject({ operationState: 'COMPLETED' });
    const after = await vnf.ofVdu('VDU1');
    expect(ids(after).sort()).toEqual(ids(before).sort());
    expect(servers(after)).not.toContain(before[0]?.computeResource.resourceId);
  });

  it('may be marked as failed, and the next heal of the VNFC finds what is there and ends it well', async () => {
    const [target] = await vnf.ofVdu('VDU1');
    failNext('VDU1');
    const op = await vnf.heal({ vnfcInstanceId: [target?.id ?? ''] });
    expect((await task(op, 'fail')).data).toMatchObject({ operationState: 'FAILED' });
    const again = await vnf.heal({ vnfcInstanceId: [target?.id ?? ''] });
    expect(again, JSON.stringify(again)).toMatchObject({ operationState: 'COMPLETED' });
    expect(JSON.stringify(await warningsOf(system.api, again))).toContain('the stack was not as the instance said');
    expect(servers(await vnf.ofVdu('VDU1'))).not.toContain(target?.computeResource.resourceId);
  });

  it('is rolled back before its pivot: the marks are taken back and every server stays', async () => {
    const before = await vnf.vnfcs();
    system.emulator.faults.add({ kind: 'status', method: 'PATCH', path: '/resources/storage$', status: 403, times: 1 });
    const op = await vnf.heal({ additionalParams: { all: false } });
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect(await vnf.task(op, 'rollback')).toMatchObject({ operationState: 'ROLLED_BACK' });
    expect(servers(await vnf.vnfcs())).toEqual(servers(before));
    const stacks = await system.api.get<JsonObject>(vnf.path);
    expect(stacks.data).toMatchObject({ instantiationState: 'INSTANTIATED' });
    // Marks that stayed would replace servers in this one.
    const [one] = await vnf.ofVdu('storage');
    expect(await vnf.heal({ vnfcInstanceId: [one?.id ?? ''] })).toMatchObject({ operationState: 'COMPLETED' });
    const workers = before.filter(({ vduId }) => vduId === 'VDU1');
    expect(servers(await vnf.ofVdu('VDU1')).sort()).toEqual(servers(workers).sort());
  });
});

describe('a heal that is disturbed while Heat replaces', () => {
  const isUpdating = (): true | undefined =>
    system.emulator.inventory().some(({ stacks }) => stacks.some(({ status }) => status === 'UPDATE_IN_PROGRESS')) || undefined;
  const updates = (): number => system.emulator.count('PATCH', /\/stacks\/vnf-[^/]+\/[^/]+$/);
  const opOf = async (accepted: AxiosResponse<JsonObject>): Promise<JsonObject> =>
    (await system.api.get<JsonObject>(new URL(String(accepted.headers.location)).pathname)).data;

  it('asks for no second update when the answer to the first was lost', async () => {
    const before = await vnf.ofVdu('VDU1');
    system.emulator.faults.add({ kind: 'lost-answer', method: 'PATCH', path: '/stacks/vnf-[^/]+/[^/]+$', times: 1 });
    const asked = updates();
    const op = await vnf.heal({ vnfcInstanceId: ids(before).slice(0, 1) });
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    expect(updates() - asked).toBe(1);
    expect(servers(await vnf.ofVdu('VDU1')).filter((id) => servers(before).includes(id))).toHaveLength(1);
  });

  it('is stopped by a forceful cancel, in Heat too, and a retry ends it', async () => {
    const before = await vnf.ofVdu('VDU1');
    system.emulator.faults.add({ kind: 'slow-stack', stackName: '^vnf-', delayMs: minutes(10), times: 1 });
    const accepted = await vnf.ask({ vnfcInstanceId: ids(before).slice(0, 1) });
    await waitUntil(() => Promise.resolve(isUpdating()), { for: 'the update to begin', within: seconds(120), every: millis(50) });
    const cancelled = await task(await opOf(accepted), 'cancel');
    expect(cancelled.status, JSON.stringify(cancelled.data)).toBe(202);
    const op = await atRest(system.api, accepted, seconds(120));
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'operation.cancelled' } });
    expect(isUpdating()).toBeUndefined();
    expect(await vnf.task(op, 'retry')).toMatchObject({ operationState: 'COMPLETED' });
    expect(servers(await vnf.ofVdu('VDU1')).filter((id) => servers(before).includes(id))).toHaveLength(1);
  });

  it('is found and waited for by another worker when the one that began it hands over', async () => {
    const before = await vnf.ofVdu('VDU1');
    system.emulator.faults.add({ kind: 'slow-stack', stackName: '^vnf-', delayMs: seconds(3), times: 1 });
    const asked = updates();
    const accepted = await vnf.ask({ vnfcInstanceId: ids(before).slice(0, 1) });
    await waitUntil(() => Promise.resolve(isUpdating()), { for: 'the update to begin', within: seconds(120), every: millis(20) });
    await system.replaceInfra();
    const op = await atRest(system.api, accepted, seconds(120));
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    expect(updates() - asked).toBe(1);
    expect(servers(await vnf.ofVdu('VDU1')).filter((id) => servers(before).includes(id))).toHaveLength(1);
  });
});
