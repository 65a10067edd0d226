import type { JsonObject } from '@windlass/foundation';
import type { LcmChange, NotifiedInstance, OpOccRecord } from '@windlass/lifecycle';
import {
  matchesPackageSubscription,
  matchesSubscription,
  type LifecycleChangeNotificationsFilter,
  type NotifiedChange,
  type PkgmNotification,
  type PkgmNotificationsFilter,
  type SubscribedInstance,
  type SubscribedPackage,
} from '@windlass/sol003';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';
import { runPrepared, type Statement } from '../prepared.js';
import { readOnce } from '../transaction.js';
import type { Vault } from '../sealing/vault.js';

/** The channel on which senders of notifications are woken. */
export const NOTIFICATIONS_CHANNEL = 'windlass_notifications';

/** A package's change that is notified (SOL003 9.3.4; SOL005 9.3.4). */
export interface PackageChange {
  readonly about: 'package';
  readonly tenant: string;
  readonly notificationType: PkgmNotification['notificationType'];
  /** Of a VnfPackageChangeNotification. */
  readonly changeType?: 'OP_STATE_CHANGE' | 'PKG_DELETE';
  /** As it is after the change; of a deletion as it was. */
  readonly package: SubscribedPackage;
}

/** What is kept of a change until it is notified. Times are ISO 8601. */
export type ChangeFacts =
  | Exclude<LcmChange, { about: 'operation' }>
  | {
      readonly about: 'operation';
      readonly tenant: string;
      readonly opOcc: Omit<OpOccRecord, 'stateEnteredTime' | 'startTime'> & { stateEnteredTime: string; startTime: string };
    }
  | PackageChange;

/** The place that a change's facts are sealed to. */
export const factsPlace = (id: string): string => `lcm.notified_change.facts ${id}`;

interface Subscriber {
  id: string;
  filter: JsonObject | null;
}

const SUBSCRIBERS: Statement = {
  name: 'windlass subscribers',
  text: 'SELECT id, filter FROM lcm.subscription WHERE tenant = $1 AND api = ANY($2::text[])',
};

const LCM_APIS = ['vnflcm-v1', 'vnflcm-v2'];
const PACKAGE_APIS = ['vnfpkgm-v1'];

/**
 * Writes a row for each subscription that wants to know, in the transaction of the change. Its caller holds the lock of the instance or of
 * the operation, so that the rows' numbers follow the order of commits for each instance.
 * @returns whether there is any
 */
export async function recordLcmChange(manager: EntityManager, vault: Vault, change: LcmChange): Promise<boolean> {
  const subscribers = await subscribersOf(manager, change.tenant, LCM_APIS);
  if (subscribers.length === 0) return false;
  const instance = change.about === 'vnf' ? change.instance : await instanceOf(manager, change.opOcc.vnfInstanceId);
  const notified = notifiedOf(change);
  const wanting = subscribers.filter(({ filter }) =>
    matchesSubscription(
      (filter ?? undefined) as LifecycleChangeNotificationsFilter | undefined,
      notified,
      asSubscribed(instance),
    ),
  );
  return write(manager, vault, wanting, change);
}

/** As {@link recordLcmChange}, for packages; its caller holds the lock of the package's row, or writes it. */
export async function recordPackageChange(manager: EntityManager, vault: Vault, change: PackageChange): Promise<boolean> {
  const subscribers = await subscribersOf(manager, change.tenant, PACKAGE_APIS);
  const wanting = subscribers.filter(({ filter }) =>
    matchesPackageSubscription((filter ?? undefined) as PkgmNotificationsFilter | undefined, change, change.package),
  );
  return write(manager, vault, wanting, change);
}

const subscribersOf = (manager: EntityManager, tenant: string, apis: readonly string[]): Promise<Subscriber[]> =>
  readOnce(manager, `subscribers of ${tenant} to ${apis.join(', ')}`, () =>
    runPrepared<Subscriber>(manager, SUBSCRIBERS, [tenant, apis]),
  );

async function write(
  manager: EntityManager,
  vault: Vault,
  subscribers: readonly Subscriber[],
  change: LcmChange | PackageChange,
): Promise<boolean> {
  if (subscribers.length === 0) return false;
  const id = randomUUID();
  await manager.query('INSERT INTO lcm.notified_change (id, facts) VALUES ($1, $2)', [
    id,
    vault.sealJson(change, factsPlace(id)),
  ]);
  await manager.query('INSERT INTO lcm.notification (subscription_id, change_id) SELECT unnest($1::uuid[]), $2::uuid', [
    subscribers.map((each) => each.id),
    id,
  ]);
  return true;
}

const notifiedOf = (change: LcmChange): NotifiedChange =>
  change.about === 'vnf'
    ? {
        notificationType: change.change === 'created' ? 'VnfIdentifierCreationNotification' : 'VnfIdentifierDeletionNotification',
      }
    : {
        notificationType: 'VnfLcmOperationOccurrenceNotification',
        operation: change.opOcc.operation,
        operationState: change.opOcc.operationState,
      };

/** As instances are answered: one that nobody named has the name that it is shown with. */
const asSubscribed = ({ vnfInstanceName, ...others }: NotifiedInstance): SubscribedInstance => ({
  ...others,
  vnfInstanceName: vnfInstanceName ?? `vnf-${others.id}`,
});

async function instanceOf(manager: EntityManager, id: string): Promise<NotifiedInstance> {
  const [found] = await rowsOf<NotifiedInstance>(
    manager,
    `SELECT id, vnf_instance_name AS "vnfInstanceName", vnfd_id AS "vnfdId", vnf_provider AS "vnfProvider",
       vnf_product_name AS "vnfProductName", vnf_software_version AS "vnfSoftwareVersion", vnfd_version AS "vnfdVersion"
     FROM lcm.vnf_instance WHERE id = $1`,
    [id],
  );
  // Its operations are final before an instance is deleted.
  return (
    found ?? {
      id,
      vnfInstanceName: null,
      vnfdId: '',
      vnfProvider: '',
      vnfProductName: '',
      vnfSoftwareVersion: '',
      vnfdVersion: '',
    }
  );
}
