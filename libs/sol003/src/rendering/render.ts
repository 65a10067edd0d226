import { mapMembers, SecretPlaces } from '@windlass/foundation';
import { maskedOpOcc, maskedVnfInstance } from '../masking/masking.js';
import type { TaskLimits } from '../operation-state/state-machine.js';
import type { KeyValuePairs, VimConnectionInfo, VimConnectionInfoMap } from '../types/common.js';
import type { VnfLcmOpOcc } from '../types/op-occ.js';
import type { VnfPkgInfo } from '../types/vnf-package.js';
import type { PkgmNotificationsFilter } from '../requests/subscriptions.js';
import type { LccnSubscription, PkgmFilterAnswer, PkgmSubscription } from '../resources/subscriptions.js';
import type { VnfInstance, VnfInstanceV2 } from '../types/vnf-instance.js';
import { opOccLinks, subscriptionUrl, vnfInstanceLinks, vnfPackageLinks, type ApiRoot } from './links.js';
import type { InstanceTask } from '../operations/operations.js';
import { omit, omitEmpty } from './omit-empty.js';

/** An instance as it is stored: everything but its links. */
export type VnfInstanceRecord = Omit<VnfInstance, '_links'>;
/** An operation occurrence as it is stored. */
export type VnfLcmOpOccRecord = Omit<VnfLcmOpOcc, '_links'>;

const filled = (pairs: KeyValuePairs | undefined): KeyValuePairs | undefined =>
  pairs === undefined || Object.keys(pairs).length === 0 ? undefined : pairs;

/** Lists that are empty are left out: `extCpInfo` has at least one element by the standard. */
const withoutEmptyLists = <T extends object>(info: T): T =>
  mapMembers(info, (member) => (Array.isArray(member) && member.length === 0 ? undefined : member)) as T;

/**
 * An instance as `/vnflcm/v1` answers it: named `vnf-<id>` where nobody named it, connections and instantiatedVnfInfo only
 * while INSTANTIATED, empty metadata left out, secrets masked.
 * @param offered the tasks that it links to in its state
 */
export function renderVnfInstance(
  record: VnfInstanceRecord,
  root: ApiRoot,
  secrets = SecretPlaces.none,
  offered: readonly InstanceTask[] = [],
): VnfInstance {
  const shown = maskedVnfInstance(record, secrets);
  const instantiated = record.instantiationState === 'INSTANTIATED';
  return omitEmpty({
    ...shown,
    vnfInstanceName: shown.vnfInstanceName ?? `vnf-${record.id}`,
    metadata: filled(shown.metadata),
    extensions: filled(shown.extensions),
    vnfConfigurableProperties: filled(shown.vnfConfigurableProperties),
    vimConnectionInfo: instantiated ? shown.vimConnectionInfo : undefined,
    instantiatedVnfInfo:
      instantiated && shown.instantiatedVnfInfo !== undefined ? withoutEmptyLists(shown.instantiatedVnfInfo) : undefined,
    _links: vnfInstanceLinks(root, record.id, offered),
  } as VnfInstance);
}

/** The members of accessInfo that v2 leaves out instead of masking them. */
const V2_LEAVES_OUT = ['password', 'bearer_token', 'client_secret'];

/** v1's array of connections as v2's map. */
export function toConnectionMap(connections: readonly VimConnectionInfo[]): VimConnectionInfoMap {
  return Object.fromEntries(connections.map(({ id, ...connection }) => [id, connection]));
}

/** An instance as `/vnflcm/v2` answers it: no package, no name nobody gave, connections as a map without credentials. */
export function renderVnfInstanceV2(
  record: VnfInstanceRecord,
  root: ApiRoot,
  secrets = SecretPlaces.none,
  offered: readonly InstanceTask[] = [],
): VnfInstanceV2 {
  const v1 = renderVnfInstance(record, root, secrets, offered);
  const { vimConnectionInfo, instantiatedVnfInfo } = v1;
  const connections = vimConnectionInfo?.map((connection) =>
    connection.accessInfo === undefined ? connection : { ...connection, accessInfo: omit(connection.accessInfo, V2_LEAVES_OUT) },
  );
  return omitEmpty({
    ...omit(v1, ['vnfPkgId', 'vnfInstanceName', 'vimConnectionInfo', 'instantiatedVnfInfo']),
    ...(record.vnfInstanceName === undefined ? {} : { vnfInstanceName: record.vnfInstanceName }),
    ...(connections === undefined ? {} : { vimConnectionInfo: toConnectionMap(connections as VimConnectionInfo[]) }),
    ...(instantiatedVnfInfo === undefined
      ? {}
      : { instantiatedVnfInfo: omit(instantiatedVnfInfo, ['instantiationLevelId', 'additionalParams']) }),
  });
}

/**
 * An operation occurrence as both versions answer it: secrets masked, links by its state.
 *
 * `operationParams` is an object. The reference system's v1 sends a text holding JSON there; ETSI's schema wants an object, and
 * the command line prints either.
 */
export function renderOpOcc(
  record: VnfLcmOpOccRecord,
  root: ApiRoot,
  limits: TaskLimits = {},
  secrets = SecretPlaces.none,
): VnfLcmOpOcc {
  return omitEmpty({ ...maskedOpOcc(record, secrets), _links: opOccLinks(root, record, limits) });
}

/** A subscription as it is stored; credentials may be part of it. */
export type LccnSubscriptionRecord = Omit<LccnSubscription, '_links'>;
/** A package subscription as it is stored; credentials may be part of it. */
export type PkgmSubscriptionRecord = Omit<PkgmSubscription, '_links' | 'filter'> & { filter?: PkgmNotificationsFilter };

/** A lifecycle subscription as it is answered: what is not named here, such as `authentication`, is never echoed. */
export const renderLccnSubscription = (
  { id, filter, callbackUri, verbosity }: LccnSubscriptionRecord,
  root: ApiRoot,
): LccnSubscription => ({
  id,
  ...(filter === undefined ? {} : { filter }),
  callbackUri,
  ...(verbosity === undefined ? {} : { verbosity }),
  _links: { self: { href: subscriptionUrl(root, id) } },
});

/** A package subscription as it is answered. ETSI's schema has one state in a filter, its table a list: one is answered as the schema has it. */
export const renderPkgmSubscription = ({ id, filter, callbackUri }: PkgmSubscriptionRecord, root: ApiRoot): PkgmSubscription => ({
  id,
  ...(filter === undefined ? {} : { filter: withSingleStates(filter) }),
  callbackUri,
  _links: { self: { href: subscriptionUrl(root, id) } },
});

const withSingleStates = ({ operationalState, usageState, ...filter }: PkgmNotificationsFilter): PkgmFilterAnswer => ({
  ...filter,
  ...(operationalState === undefined ? {} : { operationalState: singleOrList(operationalState) }),
  ...(usageState === undefined ? {} : { usageState: singleOrList(usageState) }),
});

const singleOrList = <T>(values: T[]): T | T[] => (values.length === 1 ? (values[0] as T) : values);

/** A package as it is answered. */
export const renderVnfPkgInfo = (record: Omit<VnfPkgInfo, '_links'>, root: ApiRoot): VnfPkgInfo =>
  omitEmpty({ ...record, _links: vnfPackageLinks(root, record) });
