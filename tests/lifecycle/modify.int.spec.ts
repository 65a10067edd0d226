import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { schemaErrors } from '@windlass/sol003/schemas';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { vnfView } from '../support/vnf-view.js';

let system: System;
const vnfdId = randomUUID();
const otherVnfdId = randomUUID();
let otherPackage: JsonObject;

beforeAll(async () => {
  system = await startSystem();
  await onboardZip(system.api, scalingPackage(vnfdId));
  const newer = (vnfd: string): string => vnfd.replace('software_version: 1.0', 'software_version: 2.0');
  otherPackage = await onboardZip(system.api, scalingPackage(otherVnfdId, newer));
});
afterAll(() => system.close());

const instance = (body: JsonObject = {}): Promise<string> => createVnf(system.api, vnfdId, body);
const patch = (url: string, body: JsonObject) =>
  system.api.patch<JsonObject>(url, body, { headers: { 'Content-Type': 'application/merge-patch+json' } });
const shown = async (url: string): Promise<JsonObject> => (await system.api.get<JsonObject>(url)).data;
const usageOf = async (pkg: unknown) => (await shown(`/vnfpkgm/v1/vnf_packages/${String(pkg)}`)).usageState;

describe('PATCH of a VNF instance', () => {
  it('merges metadata, sets and deletes names, and tells what changed; without any VIM', async () => {
    const url = await instance({ vnfInstanceName: 'old', metadata: { keep: 'this', drop: 'that', deep: { a: 1, b: 2 } } });
    const accepted = await patch(url, {
      vnfInstanceName: null,
      vnfInstanceDescription: 'a new one',
      metadata: { drop: null, add: 'more', deep: { b: 3 } },
    });
    const op = await atRest(system.api, accepted);
    expect(op, JSON.stringify(op)).toMatchObject({ operation: 'MODIFY_INFO', operationState: 'COMPLETED' });
    expect(op.changedInfo).toEqual({
      vnfInstanceDescription: 'a new one',
      metadata: { keep: 'this', add: 'more', deep: { a: 1, b: 3 } },
    });
    expect(schemaErrors('VnfLcmOpOcc', op)).toEqual([]);
    const now = await shown(url);
    expect(now).toMatchObject({
      vnfInstanceName: `vnf-${String(now.id)}`,
      vnfInstanceDescription: 'a new one',
      metadata: { keep: 'this', add: 'more', deep: { a: 1, b: 3 } },
    });
    expect(now.metadata).not.toHaveProperty('drop');
  });

  it('moves it to another package, and the usage state of both follows', async () => {
    const url = await instance();
    const { vnfPkgId: before } = await shown(url);
    expect(await usageOf(otherPackage.id)).toBe('NOT_IN_USE');
    const op = await atRest(system.api, await patch(url, { vnfdId: otherVnfdId }));
    expect(op, JSON.stringify(op)).toMatchObject({
      operationState: 'COMPLETED',
      changedInfo: { vnfdId: otherVnfdId, vnfPkgId: otherPackage.id, vnfSoftwareVersion: '2.0' },
    });
    expect(await shown(url)).toMatchObject({ vnfdId: otherVnfdId, vnfPkgId: otherPackage.id, vnfSoftwareVersion: '2.0' });
    expect(await usageOf(otherPackage.id)).toBe('IN_USE');
    await atRest(system.api, await patch(url, { vnfPkgId: before ?? null }));
    expect(await usageOf(otherPackage.id)).toBe('NOT_IN_USE');
  });

  it('begins in PROCESSING, and never shows STARTING', async () => {
    const url = await instance();
    const accepted = await patch(url, { metadata: { a: 'b' } });
    const id = new URL(String(accepted.headers.location)).pathname.split('/').at(-1);
    await atRest(system.api, accepted);
    const events = await system.database.query<{ subject: string }[]>(
      `SELECT subject FROM lcm.outbox WHERE message->>'operationId' = $1 AND subject LIKE 'windlass.event.operation.%' ORDER BY id`,
      [id],
    );
    expect(events.map(({ subject }) => subject.split('.').at(-1))).toEqual(['PROCESSING', 'COMPLETED']);
  });

  it.each([
    [{ vnfdId: randomUUID() }, 400, '/vnfdId'],
    [{ vnfPkgId: randomUUID() }, 400, '/vnfPkgId'],
    [{ vnfPkgId: randomUUID(), vnfdId: randomUUID() }, 400, '/vnfPkgId'],
    [{ vnfdId: null }, 400, '/vnfdId'],
    [{ vimConnectionInfo: [{ id: 'vim', vimType: 'openstack' }] }, 400, '/vimConnectionInfo'],
    [{ extensions: 'text' }, 400, '/extensions'],
    [{ vnfcInfoModifications: [{ id: 'x', vnfcConfigurableProperties: {} }] }, 400, '/vnfcInfoModifications/0/id'],
    [{ metadata: 'text' }, 400, '/metadata'],
  ])('%j is refused with %i at its field', async (body, status, path) => {
    const answer = await patch(await instance(), body);
    expect(answer.status, JSON.stringify(answer.data)).toBe(status);
    expect(answer.data).toMatchObject({ invalidParams: [{ path }] });
  });

  it('is refused with 422 for a package that is DISABLED, and with 404 for no instance', async () => {
    await system.api.patch(`/vnfpkgm/v1/vnf_packages/${String(otherPackage.id)}`, { operationalState: 'DISABLED' });
    expect((await patch(await instance(), { vnfdId: otherVnfdId })).status).toBe(422);
    await system.api.patch(`/vnfpkgm/v1/vnf_packages/${String(otherPackage.id)}`, { operationalState: 'ENABLED' });
    expect((await patch(`/vnflcm/v1/vnf_instances/${randomUUID()}`, {})).status).toBe(404);
  });

  it('is refused with 409 while another operation is not final, and merges the connections of an instantiated VNF', async () => {
    await registerVim(system);
    const vnf = await vnfView(system, vnfdId, {
      ...scalingRequest('net0'),
      vimConnectionInfo: [
        {
          id: 'mine',
          vimType: 'openstack',
          interfaceInfo: { endpoint: system.emulator.url },
          accessInfo: {
            username: system.emulator.tenant.user,
            password: system.emulator.tenant.password,
            project: system.emulator.tenant.project,
            region: 'RegionOne',
          },
          extra: { site: { rack: '1', row: '2', room: { number: '3', floor: '4' } } },
        },
      ],
    });
    system.emulator.faults.add({ kind: 'fail-resource', resource: 'node', action: 'CREATE', reason: 'no', times: 1 });
    const failed = await atRest(system.api, await system.api.post(`${vnf.url}/scale`, { type: 'SCALE_OUT', aspectId: 'worker' }));
    expect(failed).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect((await patch(vnf.url, { vnfInstanceName: 'busy' })).status).toBe(409);
    const path = `/vnflcm/v1/vnf_lcm_op_occs/${String(failed.id)}`;
    await atRest(system.api, await system.api.post(`${path}/rollback`));

    const dropped = await patch(vnf.url, { vimConnectionInfo: [{ id: 'other', vimType: 'openstack' }] });
    expect(dropped.status).toBe(400);
    const merged = await atRest(
      system.api,
      await patch(vnf.url, {
        vimConnectionInfo: [
          {
            id: 'mine',
            accessInfo: { region: null, userDomain: 'Default', note: 'kept' },
            extra: { site: { rack: '5', row: null, room: { floor: null } } },
          },
        ],
      }),
    );
    expect(merged, JSON.stringify(merged)).toMatchObject({ operationState: 'COMPLETED' });
    expect(JSON.stringify(merged)).not.toContain(system.emulator.tenant.password);
    expect(await shown(vnf.url)).toMatchObject({
      vimConnectionInfo: [
        { id: 'mine', accessInfo: { userDomain: 'Default', note: '***', project: system.emulator.tenant.project } },
      ],
    });
    const [{ extra } = {}] = (await shown(vnf.url)).vimConnectionInfo as JsonObject[];
    expect(extra).toEqual({ site: { rack: '***', room: { number: '***' } } });

    // Written back as it was shown: the password that was masked is still the one that opens the VIM.
    const { vimConnectionInfo } = await shown(vnf.url);
    const same = await atRest(
      system.api,
      await patch(vnf.url, { vimConnectionInfo: vimConnectionInfo ?? null, vnfInstanceName: 'seen' }),
    );
    expect(same, JSON.stringify(same)).toMatchObject({ operationState: 'COMPLETED', changedInfo: { vnfInstanceName: 'seen' } });
    expect(same.changedInfo).not.toHaveProperty('vimConnectionInfo');
    await vnf.remove();
  });
});
