import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { schemaErrors } from '@windlass/sol003/schemas';
import { zipOf } from '@windlass/vnf-package/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { atRest, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { vnfView, type VnfView } from '../support/vnf-view.js';
import { shape, SHAPES } from './support/shapes.js';

let system: System;
let vnf: VnfView | undefined;
const vnfdIds = new Map<string, string>();

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  for (const name of SHAPES) vnfdIds.set(name, String((await onboardZip(system.api, zipOf(shape(name)))).vnfdId));
});
afterAll(() => system.close());
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
