import { randomUUID } from 'node:crypto';
import { isJsonObject, Secret, type JsonObject } from '@windlass/foundation';
import { OpenStack } from '@windlass/openstack';
import { schemaErrors } from '@windlass/sol003/schemas';
import { zipOf, type PackageFiles } from '@windlass/vnf-package/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { vnfView, type VnfView } from '../support/vnf-view.js';
import { shape, SHAPES, type Change } from './support/shapes.js';

let system: System;
let vnf: VnfView | undefined;
const vnfdIds = new Map<string, string>();

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  for (const name of SHAPES) await onboard(name, name);
});
afterAll(() => system.close());

const MEMBER = 'Definitions/vnfd.yaml';

/** Onboards a package, changed, under a VNFD id of its own. */
async function onboard(name: string, as: string, ...changes: readonly Change[]): Promise<void> {
  const files = shape(name, ...changes);
  const vnfdId = randomUUID();
  const own = Object.entries(files).map(([member, content]) => [
    member,
    String(content).replace(/3f6c3d50-4a5e-4b8f-9a6e-6a2f0d1c\d{4}/, vnfdId),
  ]);
  const { onboardingState } = await onboardZip(system.api, zipOf(Object.fromEntries(own) as PackageFiles));
  expect(onboardingState).toBe('ONBOARDED');
  vnfdIds.set(as, vnfdId);
}

/** Whatever came of it, the VIM holds nothing of it afterwards. */
afterEach(async () => {
  await vnf?.remove();
  vnf = undefined;
});

const link = (id: string, resourceId: string, cpdId: string, ...ipAddresses: JsonObject[]): JsonObject => ({
  id,
  resourceId,
  extCps: [
    {
      cpdId,
      cpConfig: [
        {
          cpProtocolData: [
            { layerProtocol: 'IP_OVER_ETHERNET', ...(ipAddresses.length === 0 ? {} : { ipOverEthernet: { ipAddresses } }) },
          ],
        },
      ],
    },
  ],
});

const instantiate = async (name: string, request: JsonObject, flavourId = 'default'): Promise<VnfView> =>
  (vnf = await vnfView(system, vnfdIds.get(name) ?? '', { flavourId, ...request }));

const does = async (task: string, body: JsonObject): Promise<JsonObject> => {
  const op = await atRest(system.api, await system.api.post(`${vnf?.url ?? ''}/${task}`, body));
  expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
  return op;
};
const info = async (): Promise<JsonObject> => {
  const { instantiatedVnfInfo } = (await vnf?.show()) ?? {};
  return isJsonObject(instantiatedVnfInfo) ? instantiatedVnfInfo : {};
};
const list = async (name: string): Promise<JsonObject[]> => ((await info())[name] ?? []) as JsonObject[];
const counts = async (): Promise<Record<string, number>> => {
  const vdus = (await list('vnfcResourceInfo')).map(({ vduId }) => String(vduId));
  return Object.fromEntries([...new Set(vdus)].sort().map((vdu) => [vdu, vdus.filter((each) => each === vdu).length]));
};
const serverOf = async (vnfcId: string): Promise<string> => {
  const found = (await vnf?.vnfcs())?.find(({ id }) => id === vnfcId);
  return found?.computeResource.resourceId ?? '';
};
/** Heals an instance of a VDU: another server stands behind the same id. */
async function heals(vduId: string): Promise<void> {
  const [id = ''] = (await vnf?.ofVdu(vduId)) ?? [];
  const before = await serverOf(id);
  await does('heal', { vnfcInstanceId: [id] });
  const after = await serverOf(id);
  expect(after).not.toBe(before);
  expect(after).not.toBe('');
}

describe('a package without templates', () => {
  it('makes one VM at the address that the request gives, which stops, starts, heals and moves to another network', async () => {
    const made = await instantiate('one-vm', {
      extVirtualLinks: [link('outside', 'net0', 'VM_CP', { type: 'IPV4', fixedAddresses: ['10.10.0.77'] })],
    });
    expect(schemaErrors('VnfInstance', await made.show())).toEqual([]);
    expect(JSON.stringify(await list('extCpInfo'))).toContain('10.10.0.77');
    await does('operate', { changeStateTo: 'STOPPED', stopType: 'FORCEFUL' });
    await does('operate', { changeStateTo: 'STARTED' });
    await heals('VM');
    expect(JSON.stringify(await list('extCpInfo'))).toContain('10.10.0.77');
    await does('change_ext_conn', { extVirtualLinks: [link('other', 'net1', 'VM_CP')] });
    expect(await list('extVirtualLinkInfo')).toMatchObject([{ id: 'other' }]);
  });

  it('that names no flavor has the smallest that is large enough, and keeps it; where none is, nothing is made', async () => {
    const named = { member: MEMBER, from: 'requested_additional_capability_name: m1.tiny, ', to: '' };
    const larger = { member: MEMBER, from: '512 MiB', to: '600 MiB' };
    await onboard('one-vm', 'sized', named, larger);
    const links = { extVirtualLinks: [link('outside', 'net0', 'VM_CP')] };
    const { user: username, password, project } = system.emulator.tenant;
    const credentials = { kind: 'password' as const, username, password: new Secret(password), project };
    const openStack = OpenStack.open({ authUrl: system.emulator.url, region: 'RegionOne', credentials });
    const flavors = await openStack.nova.listFlavors();
    openStack.close();
    const flavorOf = async (): Promise<unknown> => {
      const [vnfc] = (await vnf?.vnfcs()) ?? [];
      return flavors.find(({ id }) => id === vnfc?.metadata.flavor)?.name;
    };
    await instantiate('sized', links);
    expect(await flavorOf()).toBe('m1.small');
    await does('heal', {});
    expect(await flavorOf()).toBe('m1.small');
    await vnf?.remove();
    await instantiate('sized', { ...links, additionalParams: { nfv: { VDU: { VM: { flavor: 'm1.medium' } } } } });
    expect(await flavorOf()).toBe('m1.medium');

    await onboard('one-vm', 'huge', named, { ...larger, to: '1 TiB' });
    const url = await createVnf(system.api, vnfdIds.get('huge'));
    const before = JSON.stringify(system.emulator.inventory());
    const op = await atRest(system.api, await system.api.post(`${url}/instantiate`, { flavourId: 'default', ...links }));
    expect(op).toMatchObject({
      operationState: 'ROLLED_BACK',
      error: { detail: expect.stringContaining('VM, which needs 1 vCPU, 1048576 MiB') as string },
    });
    expect(JSON.stringify(system.emulator.inventory())).toBe(before);
  });

  it('scales, heals and reconnects the VDU of its aspect, with a network and a disk of its own', async () => {
    const made = await instantiate('tiers', { extVirtualLinks: [link('outside', 'net0', 'web_front')] });
    expect(await counts()).toEqual({ db: 1, web: 1 });
    expect(await list('vnfVirtualLinkResourceInfo')).toMatchObject([{ vnfVirtualLinkDescId: 'back', vnfLinkPorts: [{}, {}] }]);
    expect(await list('virtualStorageResourceInfo')).toMatchObject([{ virtualStorageDescId: 'db_data' }]);
    const first = await made.vnfcs();
    await does('scale', { type: 'SCALE_OUT', aspectId: 'web_servers' });
    expect(await made.vnfcs()).toEqual(expect.arrayContaining(first));
    expect(await counts()).toEqual({ db: 1, web: 2 });
    expect(await made.levels()).toEqual({ web_servers: 1 });
    await does('scale_to_level', { instantiationLevelId: 'large' });
    expect(await counts()).toEqual({ db: 1, web: 3 });
    await does('scale', { type: 'SCALE_IN', aspectId: 'web_servers', numberOfSteps: 2 });
    expect(await counts()).toEqual({ db: 1, web: 1 });
    await heals('web');
    await heals('db');
    await does('change_ext_conn', { extVirtualLinks: [link('outside', 'net1', 'web_front')] });
    expect(schemaErrors('VnfInstance', await made.show())).toEqual([]);
  });

  it('boots VDUs that scale together from volumes, all of which leave with them', async () => {
    const made = await instantiate('boots-from-volume', { extVirtualLinks: [link('outside', 'net0', 'left_CP')] });
    expect(await counts()).toEqual({ left: 1, right: 2 });
    expect(await list('virtualStorageResourceInfo')).toHaveLength(6);
    await does('scale', { type: 'SCALE_OUT', aspectId: 'pair' });
    expect(await counts()).toEqual({ left: 3, right: 3 });
    await heals('right');
    await does('scale', { type: 'SCALE_IN', aspectId: 'pair' });
    expect(await counts()).toEqual({ left: 1, right: 2 });
    expect(await list('virtualStorageResourceInfo')).toHaveLength(6);
    expect(made.url).not.toBe('');
  });

  it('has an address that its VMs may share, and one that is reached from outside', async () => {
    await instantiate('virtual-address', {
      extVirtualLinks: [
        link('nodes', 'net0', 'node_CP'),
        link('jumps', 'net0', 'jump_CP'),
        link('addresses', 'net0', 'shared', { type: 'IPV4', fixedAddresses: ['10.10.0.99'] }),
      ],
      additionalParams: { floating_network: 'public' },
    });
    expect(await counts()).toEqual({ jump: 1, node: 2 });
    expect(JSON.stringify(await list('extCpInfo'))).toContain('10.10.0.99');
    await heals('node');
  });

  it('makes the flavour that is asked for, from the image that it carries', async () => {
    const links = [link('masters', 'net0', 'master_CP'), link('workers', 'net0', 'worker_CP')];
    await instantiate('flavours', { extVirtualLinks: links }, 'large');
    await does('scale', { type: 'SCALE_OUT', aspectId: 'workers' });
    expect(await counts()).toEqual({ master: 1, worker: 2 });
    await does('heal', {});
    expect(await counts()).toEqual({ master: 1, worker: 2 });
  });
});
