import type { LinkChangeType, ResourceChangeType } from '../types/enumerations.js';
import type {
  ExtManagedVirtualLinkInfo,
  ExtVirtualLinkInfo,
  InstantiatedVnfInfo,
  VirtualStorageResourceInfo,
  VnfcResourceInfo,
  VnfVirtualLinkResourceInfo,
} from '../types/instantiated-vnf-info.js';
import type { AffectedVirtualLink, AffectedVirtualStorage, AffectedVnfc, ResourceChanges } from '../types/op-occ.js';

interface Pair<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** What was and what is, side by side, in the order of the old list and then of the new one. */
function pairs<T extends { id: string }>(before: readonly T[] = [], after: readonly T[] = []): Pair<T>[] {
  const old = new Map(before.map((entry) => [entry.id, entry]));
  const now = new Map(after.map((entry) => [entry.id, entry]));
  const gone = before.filter(({ id }) => !now.has(id));
  return [
    ...before.filter(({ id }) => now.has(id)).map((entry) => ({ before: entry, after: now.get(entry.id) })),
    ...gone.map((entry) => ({ before: entry, after: undefined })),
    ...after.filter(({ id }) => !old.has(id)).map((entry) => ({ before: undefined, after: entry })),
  ];
}

/** JSON with its members in order: equal texts are equal values, and undefined counts as absent. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

const differ = (a: unknown, b: unknown): boolean => canonical(a) !== canonical(b);

const changeOf = <T>({ before, after }: Pair<T>): ResourceChangeType | undefined => {
  if (before === undefined) return 'ADDED';
  if (after === undefined) return 'REMOVED';
  return differ(before, after) ? 'MODIFIED' : undefined;
};

const missingFrom = (some: readonly string[], others: readonly string[]): string[] => some.filter((id) => !others.includes(id));

/** A member only where it says something: the standard's lists have at least one element. */
const ifAny = <K extends string>(key: K, ids: string[]): Partial<Record<K, string[]>> =>
  (ids.length === 0 ? {} : { [key]: ids }) as Partial<Record<K, string[]>>;

function affectedVnfc(pair: Pair<VnfcResourceInfo>): AffectedVnfc[] {
  const changeType = changeOf(pair);
  const shown = pair.after ?? pair.before;
  if (changeType === undefined || shown === undefined) return [];
  const points = pairs(pair.before?.vnfcCpInfo, pair.after?.vnfcCpInfo).filter((point) => changeOf(point) !== undefined);
  const [had, has] = [pair.before?.storageResourceIds ?? [], pair.after?.storageResourceIds ?? []];
  return [
    {
      id: shown.id,
      vduId: shown.vduId,
      changeType,
      computeResource: shown.computeResource,
      ...(shown.metadata === undefined ? {} : { metadata: shown.metadata }),
      ...ifAny(
        'affectedVnfcCpIds',
        points.flatMap(({ before, after }) => (after ?? before)?.id ?? []),
      ),
      ...ifAny('addedStorageResourceIds', missingFrom(has, had)),
      ...ifAny('removedStorageResourceIds', missingFrom(had, has)),
    },
  ];
}

/** A link whose ports alone came or went is told so; any other difference is MODIFIED. */
function linkChanges(pair: Pair<VnfVirtualLinkResourceInfo>): LinkChangeType[] {
  const change = changeOf(pair);
  if (change === undefined) return [];
  if (pair.before === undefined || pair.after === undefined) return [change];
  const ports = pairs(pair.before.vnfLinkPorts, pair.after.vnfLinkPorts).map(changeOf);
  const rest = (link: VnfVirtualLinkResourceInfo): unknown => ({ ...link, vnfLinkPorts: undefined });
  if (ports.includes('MODIFIED') || differ(rest(pair.before), rest(pair.after))) return ['MODIFIED'];
  return [
    ...(ports.includes('ADDED') ? (['LINK_PORT_ADDED'] as const) : []),
    ...(ports.includes('REMOVED') ? (['LINK_PORT_REMOVED'] as const) : []),
  ];
}

function affectedLink(pair: Pair<VnfVirtualLinkResourceInfo>): AffectedVirtualLink[] {
  const shown = pair.after ?? pair.before;
  if (shown === undefined) return [];
  return linkChanges(pair).map((changeType) => ({
    id: shown.id,
    vnfVirtualLinkDescId: shown.vnfVirtualLinkDescId,
    changeType,
    networkResource: shown.networkResource,
    ...(shown.metadata === undefined ? {} : { metadata: shown.metadata }),
  }));
}

function affectedStorage(pair: Pair<VirtualStorageResourceInfo>): AffectedVirtualStorage[] {
  const changeType = changeOf(pair);
  const shown = pair.after ?? pair.before;
  if (changeType === undefined || shown === undefined) return [];
  return [
    {
      id: shown.id,
      virtualStorageDescId: shown.virtualStorageDescId,
      changeType,
      storageResource: shown.storageResource,
      ...(shown.metadata === undefined ? {} : { metadata: shown.metadata }),
    },
  ];
}

/** Somebody else's link is neither made nor removed by us: only our ports on it are. */
function affectedManagedLink({ before, after }: Pair<ExtManagedVirtualLinkInfo>): AffectedVirtualLink[] {
  const shown = after ?? before;
  const networkResource = shown?.networkResource;
  if (shown === undefined || networkResource === undefined) return [];
  const ours = (link: ExtManagedVirtualLinkInfo | undefined): VnfVirtualLinkResourceInfo => ({
    id: shown.id,
    vnfVirtualLinkDescId: shown.vnfVirtualLinkDescId,
    networkResource,
    ...(link?.vnfLinkPorts === undefined ? {} : { vnfLinkPorts: link.vnfLinkPorts }),
  });
  return affectedLink({ before: ours(before), after: ours(after) });
}

type Info = InstantiatedVnfInfo | undefined;

/**
 * What an operation did to the resources: the difference between the instance before and after (SOL003 5.5.3.13 to 15).
 * Removed resources are shown as they were, all others as they are. Lists without an element are absent; undefined where
 * nothing changed at all. `undefined` for an instance stands for one that is not instantiated.
 */
export function resourceChanges(before: Info, after: Info): ResourceChanges | undefined {
  const affectedVnfcs = pairs(before?.vnfcResourceInfo, after?.vnfcResourceInfo).flatMap(affectedVnfc);
  const affectedVirtualLinks = [
    ...pairs(before?.vnfVirtualLinkResourceInfo, after?.vnfVirtualLinkResourceInfo).flatMap(affectedLink),
    ...pairs(before?.extManagedVirtualLinkInfo, after?.extManagedVirtualLinkInfo).flatMap(affectedManagedLink),
  ];
  const affectedVirtualStorages = pairs(before?.virtualStorageResourceInfo, after?.virtualStorageResourceInfo).flatMap(
    affectedStorage,
  );
  if (affectedVnfcs.length + affectedVirtualLinks.length + affectedVirtualStorages.length === 0) return undefined;
  return {
    ...(affectedVnfcs.length === 0 ? {} : { affectedVnfcs }),
    ...(affectedVirtualLinks.length === 0 ? {} : { affectedVirtualLinks }),
    ...(affectedVirtualStorages.length === 0 ? {} : { affectedVirtualStorages }),
  };
}

/** The external links that are new or different after a change of connectivity (SOL003 5.5.2.13); undefined where none is. */
export function changedExtConnectivity(before: Info, after: Info): ExtVirtualLinkInfo[] | undefined {
  const changed = pairs(before?.extVirtualLinkInfo, after?.extVirtualLinkInfo).flatMap((pair) =>
    pair.after !== undefined && changeOf(pair) !== undefined ? [pair.after] : [],
  );
  return changed.length === 0 ? undefined : changed;
}
