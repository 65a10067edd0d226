import { OpenStack, readInventory, type Inventory } from '@windlass/openstack';
import { NET0, RECORDED_STACK, recordedVim, type FakeVim } from '@windlass/openstack/testing';
import type { CpProtocolData, ExtVirtualLinkData, IpAddressData } from '@windlass/sol003';
import { schemaErrors as errorsOf } from '@windlass/sol003/schemas';
import { afterEach, describe, expect, it } from 'vitest';
import { buildInstantiatedVnfInfo, type InfoOfStack } from './instantiated-vnf-info.js';
import { recordedModel } from './testing/recorded-model.js';
import type { VnfInfoInput } from './vnf-info-input.js';

const INSTANCE = '3f32428d-e8ce-4d6a-9be9-4c7f3a02ac72';
const VIM = '05ef7ca5-7e32-4a6b-a03d-52f811f04496';
const onEthernet = (address: Omit<IpAddressData, 'type'>): CpProtocolData => ({
  layerProtocol: 'IP_OVER_ETHERNET',
  ipOverEthernet: { ipAddresses: [{ type: 'IPV4', ...address }] },
});
const externalLink: ExtVirtualLinkData = {
  id: 'ext-vl-1',
  resourceId: NET0,
  extCps: [
    { cpdId: 'VDU1_CP1', cpConfig: [{ cpProtocolData: [onEthernet({ numDynamicAddresses: 1 })] }] },
    { cpdId: 'VDU2_CP1', cpConfig: [{ cpProtocolData: [onEthernet({ fixedAddresses: ['10.10.0.100'] })] }] },
  ],
};

/** Against ETSI's schema of a whole instance, which calls one member otherwise than the guide does. */
const schemaErrors = (info: InfoOfStack): unknown[] =>
  errorsOf('VnfInstance', {
    id: INSTANCE,
    vnfdId: 'vnfd',
    vnfProvider: 'Me',
    vnfProductName: 'Small',
    vnfSoftwareVersion: '1.0',
    vnfdVersion: '1.0',
    instantiationState: 'INSTANTIATED',
    instantiatedVnfInfo: { ...info, virtualLinkResourceInfo: info.vnfVirtualLinkResourceInfo },
    _links: { self: { href: 'http://localhost/vnflcm/v1/vnf_instances/1' } },
  });

describe('instantiatedVnfInfo', () => {
  const vims: FakeVim[] = [];
  afterEach(async () => {
    await Promise.all(vims.splice(0).map((vim) => vim.close()));
  });
  const inventoryOf = async (listing: string, status?: string): Promise<Inventory> => {
    const vim = await recordedVim(listing, status);
    vims.push(vim);
    const openStack = OpenStack.open(vim.connection());
    const inventory = await readInventory(openStack, RECORDED_STACK);
    openStack.close();
    return inventory;
  };
  const build = (inventory: Inventory, change: Partial<VnfInfoInput> = {}) =>
    buildInstantiatedVnfInfo({
      vnfInstanceId: INSTANCE,
      flavourId: 'simple',
      vimConnectionId: VIM,
      model: recordedModel,
      inventory,
      extVirtualLinks: [externalLink],
      ...change,
    });

  it('of the recorded stack is whole, and valid by SOL003', async () => {
    const info = build(await inventoryOf('03_resources_nested_depth_2'));
    expect(schemaErrors(info)).toEqual([]);
    expect(info).toMatchObject({ flavourId: 'simple', vnfState: 'STARTED', scaleStatus: [{ aspectId: 'VDU1', scaleLevel: 1 }] });
    expect(info.vnfcResourceInfo.map(({ vduId, computeResource }) => [vduId, computeResource])).toEqual([
      [
        'VDU1',
        { vimConnectionId: VIM, resourceId: '14b0dd18-461a-45b3-8903-4b537155d743', vimLevelResourceType: 'OS::Nova::Server' },
      ],
      [
        'VDU1',
        { vimConnectionId: VIM, resourceId: '4c5606c8-fa0b-4129-896e-35a72482be9f', vimLevelResourceType: 'OS::Nova::Server' },
      ],
      [
        'VDU2',
        { vimConnectionId: VIM, resourceId: '46f89f33-e29b-4d11-8e8d-034fd76ea2af', vimLevelResourceType: 'OS::Nova::Server' },
      ],
    ]);
    expect(info.vnfcInfo).toEqual(
      info.vnfcResourceInfo.map(({ id, vduId }) => ({
        id: `${vduId}-${id}`,
        vduId,
        vnfcResourceInfoId: id,
        vnfcState: 'STARTED',
      })),
    );
    expect(info.metadata).toEqual({ stack_id: 'vnf-a/b08324e7-eb34-43b1-b128-1e6eebd8e15f' });
  });

  it('lets every id inside of it lead somewhere', async () => {
    const info = build(await inventoryOf('03_resources_nested_depth_2'));
    const extPorts = info.extVirtualLinkInfo.flatMap((link) => link.extLinkPorts ?? []);
    const vnfPorts = info.vnfVirtualLinkResourceInfo.flatMap((link) => link.vnfLinkPorts ?? []);
    const vnfcCps = info.vnfcResourceInfo.flatMap((vnfc) => vnfc.vnfcCpInfo ?? []);
    expect(info.extCpInfo).toHaveLength(3);
    for (const extCp of info.extCpInfo ?? []) {
      expect(extPorts.find(({ id }) => id === extCp.extLinkPortId)?.cpInstanceId).toBe(extCp.id);
      const vnfcCp = vnfcCps.find(({ id }) => id === extCp.associatedVnfcCpId);
      expect(vnfcCp).toMatchObject({ vnfExtCpId: extCp.id, cpdId: extCp.cpdId, cpProtocolInfo: extCp.cpProtocolInfo });
    }
    const internal = vnfcCps.filter(({ cpdId }) => cpdId === 'VDU1_CP2');
    expect(internal).toHaveLength(2);
    for (const cp of internal) {
      expect(cp.vnfExtCpId).toBeUndefined();
      expect(vnfPorts.find(({ id }) => id === cp.vnfLinkPortId)).toMatchObject({
        cpInstanceId: cp.id,
        cpInstanceType: 'VNFC_CP',
      });
    }
    const storageIds = info.virtualStorageResourceInfo.map(({ id }) => id);
    expect(info.vnfcResourceInfo.map(({ storageResourceIds }) => storageResourceIds)).toEqual([[], [], storageIds]);
    expect(
      info.virtualStorageResourceInfo.map(({ virtualStorageDescId, storageResource }) => [
        virtualStorageDescId,
        storageResource.resourceId,
      ]),
    ).toEqual([
      ['vol', '1e1858af-c19e-4372-a785-45c8da9b19c6'],
      ['bootvol', 'd168a6f9-9ebd-46ae-a3ae-ad3cbb197508'],
    ]);
    const ids = [
      ...extPorts,
      ...vnfPorts,
      ...vnfcCps,
      ...(info.extCpInfo ?? []),
      ...info.vnfcResourceInfo,
      ...info.virtualStorageResourceInfo,
    ].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('tells addresses, and which of them the request had fixed', async () => {
    const info = build(await inventoryOf('03_resources_nested_depth_2'));
    const vdu2 = info.vnfcResourceInfo.find(({ vduId }) => vduId === 'VDU2');
    expect(vdu2?.vnfcCpInfo?.[0]?.cpProtocolInfo).toEqual([
      {
        layerProtocol: 'IP_OVER_ETHERNET',
        ipOverEthernet: {
          macAddress: 'fa:16:3e:00:00:10',
          ipAddresses: [{ type: 'IPV4', addresses: ['10.10.0.100'], isDynamic: false, subnetId: 'sub-net0' }],
        },
      },
    ]);
    const vdu1 = info.vnfcResourceInfo[0]?.vnfcCpInfo?.[0]?.cpProtocolInfo?.[0]?.ipOverEthernet?.ipAddresses?.[0];
    expect(vdu1?.isDynamic).toBe(true);
  });

  it('carries what drivers and clients look for in metadata', async () => {
    const info = build(await inventoryOf('03_resources_nested_depth_2'));
    expect(info.vnfcResourceInfo[1]?.metadata).toEqual({
      creation_time: '2026-11-20T23:48:03Z',
      stack_id: 'vnf-a-VDU1-k33j44qkof7y-2fyfetx44xgq-l47y7foia7y5/b370d806-342a-42ad-ae1b-8199825f7061',
      parent_stack_id: 'vnf-a-VDU1-k33j44qkof7y/cdf3898e-25d6-47e9-9fda-f109b7002ad9',
      parent_resource_name: '2fyfetx44xgq',
      flavor: '225ade0b-4cea-4bfc-a2fa-432f7a5c9173',
      'image-VDU1': '7ed827e1-510f-4c2f-bd5d-db5bb5b864e4',
      zone: 'nova',
    });
  });

  it('is the same to the last letter when read again', async () => {
    const first = build(await inventoryOf('03_resources_nested_depth_2'));
    const second = build(await inventoryOf('03_resources_nested_depth_2'));
    expect(JSON.stringify(second)).toBe(JSON.stringify(first));
  });

  it('keeps the id of a VNFC that is healed, by replacing its server or the whole member', async () => {
    const idsByServer = async (listing: string) => {
      const info = build(await inventoryOf(listing, 'UPDATE_COMPLETE'));
      return new Map(info.vnfcResourceInfo.map((vnfc) => [vnfc.computeResource.resourceId.slice(0, 8), vnfc]));
    };
    const before = await idsByServer('03_resources_nested_depth_2');
    const serverReplaced = await idsByServer('08_resources_after_heal');
    const memberReplaced = await idsByServer('09_resources_after_heal');
    const id = before.get('4c5606c8')?.id;
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(serverReplaced.get('418dfb5f')?.id).toBe(id);
    expect(memberReplaced.get('1ed46387')?.id).toBe(id);
    expect(memberReplaced.get('1ed46387')?.vnfcCpInfo?.map((cp) => cp.id)).toEqual(
      before.get('4c5606c8')?.vnfcCpInfo?.map((cp) => cp.id),
    );
    expect(memberReplaced.get('14b0dd18')?.id).toBe(before.get('14b0dd18')?.id);
  });

  it('gives the VNFCs of a stack made anew ids of their own, and those of another instance too', async () => {
    const inventory = await inventoryOf('03_resources_nested_depth_2');
    const ids = (info: InfoOfStack) => info.vnfcResourceInfo.map(({ id }) => id);
    const all = [
      ...ids(build(inventory)),
      ...ids(build({ ...inventory, stack: { name: 'vnf-a', id: 'another' } })),
      ...ids(build(inventory, { vnfInstanceId: 'not-a-uuid' })),
    ];
    expect(new Set(all).size).toBe(9);
  });

  it('keeps a VNFC whose server a failed heal has lost, so that it can be healed again', async () => {
    const before = build(await inventoryOf('03_resources_nested_depth_2'));
    const after = build(await inventoryOf('volume_10_resources_after_failed_heal', 'UPDATE_FAILED'));
    expect(schemaErrors(after)).toEqual([]);
    const lost = after.vnfcResourceInfo.find(({ vduId }) => vduId === 'VDU2');
    expect(lost).toMatchObject({
      id: before.vnfcResourceInfo.find(({ vduId }) => vduId === 'VDU2')?.id,
      computeResource: { resourceId: '' },
      storageResourceIds: before.virtualStorageResourceInfo.map(({ id }) => id),
    });
    expect(after.vnfcInfo.find(({ vduId }) => vduId === 'VDU2')?.vnfcState).toBe('STOPPED');
  });

  it('counts the level of an aspect from its VNFCs where the level that is known has others', async () => {
    const three = await inventoryOf('06_resources_nested_depth_2', 'UPDATE_COMPLETE');
    expect(build(three).scaleStatus).toEqual([{ aspectId: 'VDU1', scaleLevel: 2 }]);
    expect(build(three, { scaleLevels: { VDU1: 3 } }).scaleStatus).toEqual([{ aspectId: 'VDU1', scaleLevel: 2 }]);
    const steps = {
      ...recordedModel,
      aspects: [
        {
          id: 'a',
          vdus: [
            { vduId: 'VDU1', initial: 1, delta: 2 },
            { vduId: 'VDU2', initial: 1, delta: 1 },
          ],
        },
      ],
    };
    expect(build(three, { model: steps }).scaleStatus).toEqual([{ aspectId: 'a', scaleLevel: 0 }]);
  });

  it('keeps the known levels of aspects that scale the same VDU, which counting can not tell apart', async () => {
    const three = await inventoryOf('06_resources_nested_depth_2', 'UPDATE_COMPLETE');
    const vdus = [{ vduId: 'VDU1', initial: 1, delta: 1 }];
    const shared = { ...recordedModel, aspects: ['a', 'b'].map((id) => ({ id, vdus })) };
    expect(build(three, { model: shared, scaleLevels: { a: 2, b: 0 } }).scaleStatus).toEqual([
      { aspectId: 'a', scaleLevel: 2 },
      { aspectId: 'b', scaleLevel: 0 },
    ]);
  });

  it('puts the ports of a managed link there, and none on a link of the stack', async () => {
    const managed = { id: 'm-1', vnfVirtualLinkDescId: 'intnet', resourceId: 'net-x' };
    const info = build(await inventoryOf('03_resources_nested_depth_2'), { extManagedVirtualLinks: [managed] });
    expect(schemaErrors(info)).toEqual([]);
    expect(info.vnfVirtualLinkResourceInfo).toEqual([]);
    expect(info.extManagedVirtualLinkInfo).toMatchObject([
      { id: 'm-1', vnfVirtualLinkDescId: 'intnet', networkResource: { resourceId: 'net-x' } },
    ]);
    expect(info.extManagedVirtualLinkInfo[0]?.vnfLinkPorts).toHaveLength(2);
  });

  it('takes ports that the caller made, used or not', async () => {
    const inventory = await inventoryOf('03_resources_nested_depth_2');
    const without = { ...inventory, ports: inventory.ports.filter(({ name }) => name !== 'VDU2_CP1') };
    const link = {
      ...externalLink,
      extCps: [{ cpdId: 'VDU2_CP1', cpConfig: [{ linkPortId: 'given-1' }] }],
      extLinkPorts: [
        { id: 'given-1', resourceHandle: { resourceId: 'port-1' } },
        { id: 'given-2', resourceHandle: { resourceId: 'port-2' } },
      ],
    };
    const info = build(without, { extVirtualLinks: [link] });
    expect(schemaErrors(info)).toEqual([]);
    const extCp = info.extCpInfo?.find(({ cpdId }) => cpdId === 'VDU2_CP1');
    expect(extCp?.extLinkPortId).toBe('given-1');
    const ports = info.extVirtualLinkInfo[0]?.extLinkPorts;
    expect(ports?.find(({ id }) => id === 'given-1')).toMatchObject({
      cpInstanceId: extCp?.id,
      resourceHandle: { resourceId: 'port-1' },
    });
    expect(ports?.find(({ id }) => id === 'given-2')?.cpInstanceId).toBeUndefined();
  });

  it('has no extCpInfo at all for a VNF without external CPs, as the schema wants it', async () => {
    const inner = { ...recordedModel, cps: recordedModel.cps.filter(({ virtualLinkId }) => virtualLinkId !== undefined) };
    const info = build(await inventoryOf('03_resources_nested_depth_2'), { model: inner, extVirtualLinks: undefined });
    expect('extCpInfo' in info).toBe(false);
    expect(schemaErrors(info)).toEqual([]);
  });

  it('knows the copies that standard user data makes of a resource', async () => {
    const inventory = await inventoryOf('03_resources_nested_depth_2');
    const rename = <T extends { name: string }>(item: T) =>
      item.name.startsWith('VDU2') ? { ...item, name: `${item.name}-1` } : item;
    const copied = { ...inventory, servers: inventory.servers.map(rename), ports: inventory.ports.map(rename) };
    const vdu2 = build(copied).vnfcResourceInfo.find(({ vduId }) => vduId === 'VDU2');
    expect(vdu2?.vnfcCpInfo?.[0]?.cpProtocolInfo?.[0]?.ipOverEthernet).toBeDefined();
  });

  it('shows through the schema when something is wrong: the check can fail', async () => {
    const info = build(await inventoryOf('03_resources_nested_depth_2'));
    expect(schemaErrors({ ...info, vnfState: 'RUNNING' as 'STARTED' })).not.toEqual([]);
    expect(schemaErrors({ ...info, vnfVirtualLinkResourceInfo: [{ id: 'x' }] as never })).not.toEqual([]);
  });
});
