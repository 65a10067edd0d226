import { expect, it } from 'vitest';
import { step } from '../testing/steps.js';
import { deletedText, affectedResources } from './affected-resources.js';

it('what an operation has made so far is told by its record, with the names by which its steps know machines', () => {
  const worker11 = { vnfcId: 'a', name: 'worker11', address: '10.0.0.11' };
  const added = 'ADDED' as const;
  const resourceChanges = {
    affectedVnfcs: [
      { id: 'a', vduId: 'workerNode', changeType: added, computeResource: { resourceId: 's-a' } },
      { id: 'b', vduId: 'VDU1', changeType: added, computeResource: { resourceId: 's-b' } },
    ],
    affectedVirtualLinks: [{ id: 'l', changeType: 'LINK_PORT_ADDED' as const, networkResource: { resourceId: 'n' } }],
    affectedVirtualStorages: [{ id: 'v', virtualStorageDescId: 'disk', changeType: added, storageResource: { resourceId: 'd' } }],
  };
  const made = affectedResources({ resourceChanges }, [step('p', { machines: [worker11], machineCount: 1 })]);
  expect(made.map(({ kind, name, address, resource, change }) => [kind, name, address, resource, change])).toEqual([
    ['VM', 'worker11', '10.0.0.11', 's-a', 'added'],
    ['VM', 'VDU1', '', 's-b', 'added'],
    ['network', 'l', '', 'n', 'link port added'],
    ['volume', 'disk', '', 'd', 'added'],
  ]);
  expect(affectedResources({}, [])).toEqual([]);
});

it('what a rollback deletes is what was added, counted by kind, and nothing where nothing was', () => {
  const vm = (id: string, changeType: 'ADDED' | 'MODIFIED') => ({
    id,
    vduId: 'w',
    changeType,
    computeResource: { resourceId: id },
  });
  const affectedVnfcs = [vm('a', 'ADDED'), vm('b', 'ADDED'), vm('c', 'ADDED'), vm('d', 'MODIFIED')];
  const volume = { id: 'v', virtualStorageDescId: 'disk', changeType: 'ADDED' as const, storageResource: { resourceId: 'd' } };
  expect(deletedText({ resourceChanges: { affectedVnfcs } })).toBe('3 VMs');
  expect(deletedText({ resourceChanges: { affectedVnfcs, affectedVirtualStorages: [volume] } })).toBe('3 VMs and 1 volume');
  expect(deletedText({ resourceChanges: { affectedVnfcs: [vm('d', 'MODIFIED')] } })).toBeUndefined();
  expect(deletedText({})).toBeUndefined();
});
