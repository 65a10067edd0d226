import { Readable } from 'node:stream';
import { millis, Secret, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpenStack } from '@windlass/openstack';
import { singleFileVnfd, smallestPackage, zipOf } from '@windlass/vnf-package/testing';
import {
  atRest,
  createVnf,
  onboard,
  onboardZip,
  registerVim,
  sampleRequest,
  startSystem,
  type System,
} from '../support/system.js';

let system: System;
let vnfdId: unknown;

beforeAll(async () => {
  system = await startSystem({ sharesImages: false });
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
});

afterAll(() => system.close());

describe('the images of an instance that is made a second time', () => {
  it('have other ids, which a heal keeps on record, and go with its termination', async () => {
    const { api, emulator } = system;
    const before = JSON.stringify(emulator.inventory());
    const url = await createVnf(api, vnfdId);
    const request = await sampleRequest('instantiate-simple-vm.json', 'net0');
    const ends = async (task: string, body: JsonObject): Promise<void> => {
      const op = await atRest(api, await api.post(`${url}/${task}`, body));
      expect(op, JSON.stringify(op.error)).toMatchObject({ operationState: 'COMPLETED' });
    };
    await ends('instantiate', request);
    await ends('terminate', { terminationType: 'FORCEFUL' });
    await ends('instantiate', request);
    const recorded = (): Promise<unknown> =>
      system.database.query("SELECT instantiated->'images' AS images FROM lcm.vnf_instance WHERE id = $1", [
        url.split('/').at(-1),
      ]);
    const made = await recorded();
    await ends('heal', { additionalParams: { all: false } });
    expect(await recorded()).toEqual(made);
    await ends('terminate', { terminationType: 'FORCEFUL' });
    expect(JSON.stringify(emulator.inventory())).toBe(before);
  });

  it('stand on the record of what a failed instantiation left by the ids that they have', async () => {
    const { api, emulator, database } = system;
    const before = JSON.stringify(emulator.inventory());
    const created = await api.post<JsonObject>('/vnflcm/v1/vnf_instances', { vnfdId });
    const url = new URL(String(created.headers.location)).pathname;
    const request = await sampleRequest('instantiate-simple-vm.json', 'net0');
    expect(await atRest(api, await api.post(`${url}/instantiate`, request))).toMatchObject({ operationState: 'COMPLETED' });
    const terminated = await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' });
    expect(await atRest(api, terminated)).toMatchObject({ operationState: 'COMPLETED' });
    emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', action: 'CREATE', reason: 'No valid host.', times: 1 });
    const failed = await atRest(api, await api.post(`${url}/instantiate`, request));
    expect(failed).toMatchObject({ operationState: 'FAILED_TEMP' });
    await api.post(`/vnflcm/v1/vnf_lcm_op_occs/${String(failed.id)}/fail`);
    const there = emulator.inventory().flatMap(({ images }) => images.map(({ id }) => id));
    const known = new Set(before.match(/[0-9a-f-]{36}/g));
    const rows = await database.query<{ images: string[] }[]>(
      "SELECT leftovers->'images' AS images FROM lcm.vnf_instance WHERE id = $1",
      [url.split('/').at(-1)],
    );
    expect(rows[0]?.images).toEqual(expect.arrayContaining(there.filter((id) => !known.has(id))));
    expect(there.filter((id) => !known.has(id))).toHaveLength(1);
    expect((await api.delete(url)).status).toBe(204);
    await waitUntil(() => Promise.resolve(JSON.stringify(emulator.inventory()) === before ? true : undefined), {
      for: 'the clean-up to take all of it away',
      within: seconds(60),
      every: millis(50),
    });
  });
});

describe('an image that the package names and does not carry', () => {
  const NAME = 'vendor-image-7.qcow2';
  const definitions = singleFileVnfd()
    .replace('name: cirros', `name: ${NAME}`)
    .replace(
      '      capabilities:',
      '      artifacts: { img: { type: tosca.artifacts.nfv.SwImage, file: ../Files/vendor.img } }\n      capabilities:',
    );

  it('is warned of at onboarding, looked for before anything is made, and without it the operation ends ROLLED_BACK', async () => {
    const { api, emulator } = system;
    const pkg = await onboardZip(api, zipOf(smallestPackage({ 'Definitions/top.yaml': definitions })));
    expect(pkg.windlassWarnings).toEqual([expect.stringContaining(`must exist in the VIM under the name "${NAME}"`)]);
    const url = await createVnf(api, pkg.vnfdId);
    const request = await sampleRequest('instantiate-simple-vm.json', 'net0');
    const before = JSON.stringify(emulator.inventory());
    const requests = emulator.count('POST', /\/stacks|\/images/);
    const refused = await atRest(api, await api.post(`${url}/instantiate`, request));
    expect(refused).toMatchObject({
      operationState: 'ROLLED_BACK',
      error: { detail: expect.stringContaining(emulator.url) as string },
    });
    expect(refused.error).toMatchObject({
      detail: expect.stringContaining(`there is no image "${NAME}", which VDU1 needs`) as string,
    });
    expect(JSON.stringify(emulator.inventory())).toBe(before);
    expect(emulator.count('POST', /\/stacks|\/images/)).toBe(requests);

    const { user: username, password, project } = emulator.tenant;
    const credentials = { kind: 'password' as const, username, password: new Secret(password), project };
    const { glance, close } = withClose(OpenStack.open({ authUrl: emulator.url, region: 'RegionOne', credentials }));
    const { id } = await glance.createImage({ name: NAME, diskFormat: 'qcow2' });
    expect((await atRest(api, await api.post(`${url}/instantiate`, request))).error).toMatchObject({
      detail: expect.stringContaining('is queued, not active') as string,
    });
    await glance.upload(id, { bytes: () => Readable.from([Buffer.from('bytes')]), length: 5 });
    expect(await atRest(api, await api.post(`${url}/instantiate`, request))).toMatchObject({ operationState: 'COMPLETED' });
    const second = await glance.createImage({ name: NAME, diskFormat: 'qcow2' });
    const healed = await atRest(api, await api.post(`${url}/heal`, { additionalParams: { all: false } }));
    expect(healed).toMatchObject({
      operationState: 'ROLLED_BACK',
      error: { detail: expect.stringContaining(`there are 2 images "${NAME}"`) as string },
    });
    await glance.deleteImage(second.id);
    expect(await atRest(api, await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }))).toMatchObject({
      operationState: 'COMPLETED',
    });
    expect(await glance.getImage(id)).toMatchObject({ status: 'active' });
    close();
  });
});

const withClose = (openStack: OpenStack) => ({ glance: openStack.glance, close: () => openStack.close() });
