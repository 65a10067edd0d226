import { resourceChanges, type InstantiatedVnfInfo } from '@windlass/sol003';

/** What differs between the instance's view and what the stack holds, a sentence each; none where they agree. */
export function stackDifferences(known: InstantiatedVnfInfo, found: InstantiatedVnfInfo): string[] {
  const changes = resourceChanges(known, found);
  const before = new Map((known.vnfcResourceInfo ?? []).map(({ id, computeResource }) => [id, computeResource.resourceId]));
  const vnfcs = (changes?.affectedVnfcs ?? []).map(({ id, vduId, changeType, computeResource }) => {
    const vnfc = `VNFC ${id} (${vduId})`;
    if (changeType === 'ADDED') return `${vnfc}, server ${nameOf(computeResource.resourceId)}, is in the stack and was not known`;
    if (changeType === 'REMOVED') return `${vnfc} is not in the stack any more`;
    return `${vnfc} has server ${nameOf(computeResource.resourceId)}; ${nameOf(before.get(id))} was known`;
  });
  const storages = (changes?.affectedVirtualStorages ?? []).map(
    ({ id, virtualStorageDescId, changeType }) => `storage ${id} (${virtualStorageDescId}) was ${changeType} in the stack`,
  );
  return [...vnfcs, ...storages].map((difference) => `the stack was not as the instance said: ${difference}`);
}

const nameOf = (resourceId: string | undefined): string => (resourceId === undefined || resourceId === '' ? 'none' : resourceId);
