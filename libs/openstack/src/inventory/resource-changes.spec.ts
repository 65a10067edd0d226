import { afterEach, describe, expect, it } from 'vitest';
import { OpenStack } from '../openstack.js';
import type { FakeVim } from '../testing/fake-vim.js';
import { RECORDED_STACK, recordedModel, recordedVim } from '../testing/recorded-vim.js';
import { buildInstantiatedVnfInfo } from './instantiated-vnf-info.js';
import { readInventory } from './read-inventory.js';
import { resourceChanges } from './resource-changes.js';

describe('resourceChanges', () => {
  const vims: FakeVim[] = [];
  afterEach(async () => {
    await Promise.all(vims.splice(0).map((vim) => vim.close()));
  });
  const infoOf = async (listing: string) => {
    const vim = await recordedVim(listing, 'UPDATE_COMPLETE');
    vims.push(vim);
    const openStack = OpenStack.open(vim.connection());
    const inventory = await readInventory(openStack, RECORDED_STACK);
    openStack.close();
    return buildInstantiatedVnfInfo({ vnfInstanceId: 'i', flavourId: 'simple', model: recordedModel, inventory });
  };
  const short = (changes: { id: string; changeType: string }[]) => changes.map(({ changeType }) => changeType);

  it('of an instantiation are all ADDED, of a termination all REMOVED', async () => {
    const info = await infoOf('03_resources_nested_depth_2');
    const added = resourceChanges(undefined, info);
    expect(short(added.affectedVnfcs)).toEqual(['ADDED', 'ADDED', 'ADDED']);
    expect(short(added.affectedVirtualLinks)).toEqual(['ADDED']);
    expect(short(added.affectedVirtualStorages)).toEqual(['ADDED', 'ADDED']);
    expect(added.affectedVnfcs[2]?.addedStorageResourceIds).toEqual(info.virtualStorageResourceInfo.map(({ id }) => id));
    const removed = resourceChanges(info, undefined);
    expect(short(removed.affectedVnfcs)).toEqual(['REMOVED', 'REMOVED', 'REMOVED']);
    expect(removed.affectedVnfcs[2]?.removedStorageResourceIds).toHaveLength(2);
  });

  it('of nothing are none', async () => {
    const info = await infoOf('03_resources_nested_depth_2');
    expect(resourceChanges(info, await infoOf('03_resources_nested_depth_2'))).toEqual({
      affectedVnfcs: [],
      affectedVirtualLinks: [],
      affectedVirtualStorages: [],
    });
  });

  it('of scaling out are the new VNFC and the ports on its links', async () => {
    const before = await infoOf('10_resources_after_heal');
    const after = await infoOf('06_resources_nested_depth_2');
    const changes = resourceChanges(before, after);
    expect(changes.affectedVnfcs).toHaveLength(1);
    expect(changes.affectedVnfcs[0]).toMatchObject({
      changeType: 'ADDED',
      vduId: 'VDU1',
      computeResource: { resourceId: '09355708-5990-4b68-813e-a38abf2214e6' },
    });
    expect(short(changes.affectedVirtualLinks)).toEqual(['LINK_PORT_ADDED']);
    expect(short(resourceChanges(after, before).affectedVirtualLinks)).toEqual(['LINK_PORT_REMOVED']);
  });

  it('of healing a server are one VNFC, MODIFIED, with the new server', async () => {
    const changes = resourceChanges(await infoOf('03_resources_nested_depth_2'), await infoOf('08_resources_after_heal'));
    expect(changes.affectedVnfcs).toHaveLength(1);
    expect(changes.affectedVnfcs[0]).toMatchObject({
      changeType: 'MODIFIED',
      computeResource: { resourceId: '418dfb5f-d0cc-4523-99a3-ad1b17837393' },
    });
    expect(changes.affectedVirtualLinks).toEqual([]);
  });

  it('of healing a server with its volumes are the volumes too', async () => {
    const changes = resourceChanges(await infoOf('09_resources_after_heal'), await infoOf('10_resources_after_heal'));
    expect(short(changes.affectedVirtualStorages)).toEqual(['MODIFIED', 'MODIFIED']);
    expect(short(changes.affectedVnfcs)).toEqual(['MODIFIED']);
  });
});
