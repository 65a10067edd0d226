import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemaErrors } from '../schemas/schema-errors.js';
import { instantiatedInfo, sampleOpOcc, vnfc } from '../testing/samples.js';
import type { InstantiatedVnfInfo } from '../types/instantiated-vnf-info.js';
import { changedExtConnectivity, resourceChanges } from './resource-changes.js';

const summary = (before: InstantiatedVnfInfo | undefined, after: InstantiatedVnfInfo | undefined) => {
  const changes = resourceChanges(before, after);
  expect(schemaErrors('VnfLcmOpOcc', sampleOpOcc(changes === undefined ? {} : { resourceChanges: changes }))).toEqual([]);
  return {
    vnfcs: changes?.affectedVnfcs?.map(({ id, changeType }) => `${changeType} ${id}`),
    links: changes?.affectedVirtualLinks?.map(({ id, changeType }) => `${changeType} ${id}`),
    storages: changes?.affectedVirtualStorages?.map(({ id, changeType }) => `${changeType} ${id}`),
  };
};

describe('resourceChanges', () => {
  it('of an instantiation has everything ADDED, of a termination everything REMOVED', () => {
    const info = instantiatedInfo(['a', 'b']);
    expect(summary(undefined, info)).toEqual({
      vnfcs: ['ADDED a', 'ADDED b'],
      links: ['ADDED vl-1'],
      storages: ['ADDED volume-a', 'ADDED volume-b'],
    });
    expect(summary(info, undefined)).toEqual({
      vnfcs: ['REMOVED a', 'REMOVED b'],
      links: ['REMOVED vl-1'],
      storages: ['REMOVED volume-a', 'REMOVED volume-b'],
    });
  });

  it('of a scaling has the members that came or went, and the ports of the link', () => {
    expect(summary(instantiatedInfo(['a']), instantiatedInfo(['a', 'b']))).toEqual({
      vnfcs: ['ADDED b'],
      links: ['LINK_PORT_ADDED vl-1'],
      storages: ['ADDED volume-b'],
    });
    expect(summary(instantiatedInfo(['a', 'b']), instantiatedInfo(['b']))).toEqual({
      vnfcs: ['REMOVED a'],
      links: ['LINK_PORT_REMOVED vl-1'],
      storages: ['REMOVED volume-a'],
    });
    expect(summary(instantiatedInfo(['a', 'b']), instantiatedInfo(['b', 'c'])).links).toEqual([
      'LINK_PORT_ADDED vl-1',
      'LINK_PORT_REMOVED vl-1',
    ]);
  });

  it('of a heal has the VNFC MODIFIED, with the server as it is now', () => {
    const before = instantiatedInfo(['a', 'b']);
    const after = { ...before, vnfcResourceInfo: [vnfc('a', 'nova-new'), vnfc('b')] };
    const changes = resourceChanges(before, after);
    expect(changes).toEqual({
      affectedVnfcs: [
        { id: 'a', vduId: 'workerNode', changeType: 'MODIFIED', computeResource: after.vnfcResourceInfo[0]?.computeResource },
      ],
    });
  });

  it('names the connection points and storages of a VNFC that changed', () => {
    const before = { ...instantiatedInfo([]), vnfcResourceInfo: [{ ...vnfc('a'), storageResourceIds: ['kept', 'old'] }] };
    const moved = { ...vnfc('a'), storageResourceIds: ['kept', 'new'], vnfcCpInfo: [{ id: 'cp-2', cpdId: 'workerNode_CP2' }] };
    const [affected] = resourceChanges(before, { ...before, vnfcResourceInfo: [moved] })?.affectedVnfcs ?? [];
    expect(affected).toMatchObject({
      affectedVnfcCpIds: ['cp-a', 'cp-2'],
      addedStorageResourceIds: ['new'],
      removedStorageResourceIds: ['old'],
    });
  });

  it('shows a removed resource as it was', () => {
    const [removed] = resourceChanges(instantiatedInfo(['a']), instantiatedInfo([]))?.affectedVnfcs ?? [];
    expect(removed?.computeResource.resourceId).toBe('nova-a');
    expect(removed?.removedStorageResourceIds).toEqual(['volume-a']);
  });

  it('tells the ports on a link that somebody else manages, not the link', () => {
    const link = { id: 'managed', vnfVirtualLinkDescId: 'vl', networkResource: { resourceId: 'n' } };
    const port = { id: 'p', resourceHandle: { resourceId: 'neutron-p' } };
    const without = instantiatedInfo([]);
    const with1 = { ...without, extManagedVirtualLinkInfo: [{ ...link, vnfLinkPorts: [port] }] };
    expect(summary(without, with1).links).toEqual(['LINK_PORT_ADDED managed']);
    expect(summary(with1, without).links).toEqual(['LINK_PORT_REMOVED managed']);
    expect(summary(without, { ...without, extManagedVirtualLinkInfo: [link] }).links).toBeUndefined();
  });

  it('is nothing between equals, whatever the order of members', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 6 }), (names) => {
        const info = instantiatedInfo(names);
        const again = JSON.parse(JSON.stringify(info), (_, value: unknown) =>
          typeof value === 'object' && value !== null && !Array.isArray(value)
            ? Object.fromEntries(Object.entries(value).reverse())
            : value,
        ) as InstantiatedVnfInfo;
        expect(resourceChanges(info, again)).toBeUndefined();
      }),
    );
  });

  it('there and back are opposites', () => {
    const some = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'));
    const opposite: Record<string, string> = {
      ADDED: 'REMOVED',
      REMOVED: 'ADDED',
      LINK_PORT_ADDED: 'LINK_PORT_REMOVED',
      LINK_PORT_REMOVED: 'LINK_PORT_ADDED',
    };
    const turned = (list: string[] | undefined) =>
      list?.map((entry) => entry.replace(/^\w+/, (change) => opposite[change] ?? change)).sort();
    fc.assert(
      fc.property(some, some, (one, other) => {
        const there = summary(instantiatedInfo(one), instantiatedInfo(other));
        const back = summary(instantiatedInfo(other), instantiatedInfo(one));
        expect([there.vnfcs, there.links, there.storages].map((list) => list?.sort())).toEqual(
          [back.vnfcs, back.links, back.storages].map(turned),
        );
      }),
      { numRuns: 40 },
    );
  });
});

describe('changedExtConnectivity', () => {
  it('has the links that are new or different, as they are now', () => {
    const before = instantiatedInfo(['a']);
    const moved = { id: 'net0', resourceHandle: { resourceId: 'network-2' } };
    const fresh = { id: 'net1', resourceHandle: { resourceId: 'network-3' } };
    expect(changedExtConnectivity(before, { ...before, extVirtualLinkInfo: [moved, fresh] })).toEqual([moved, fresh]);
    expect(changedExtConnectivity(before, instantiatedInfo(['b']))).toBeUndefined();
  });
});
