import { maskedAttributes } from '../masking/masking.js';
import { initialState } from '../operation-state/state-machine.js';
import { opOccUrl, subscriptionUrl, vnfInstanceUrl, type ApiRoot } from '../rendering/links.js';
import { omit, omitEmpty } from '../rendering/omit-empty.js';
import type { LcmOperationTypeV2 } from '../operations/operations.js';
import type { LcmOperationStateType } from '../types/enumerations.js';
import type {
  LccnLinks,
  VnfIdentifierCreationNotification,
  VnfIdentifierDeletionNotification,
  VnfLcmOperationOccurrenceNotification,
} from '../types/notifications.js';
import type { VnfLcmOpOcc } from '../types/op-occ.js';

/** What is peculiar to one delivery. */
export interface Delivery {
  /** Id of this notification for this subscription; a repeated delivery keeps it. */
  readonly id: string;
  /** RFC 3339. */
  readonly timeStamp: string;
  readonly subscriptionId: string;
  /** Absolute root of the API that the subscription was made at. */
  readonly root: ApiRoot;
}

/** The edition of SOL003 that the subscriber speaks: the API it subscribed at. */
export interface Edition {
  readonly major: 1 | 2;
  /** v2 only; FULL where absent. */
  readonly verbosity?: 'FULL' | 'SHORT' | undefined;
}

const linksOf = ({ root, subscriptionId }: Delivery, vnfInstanceId: string): LccnLinks => ({
  vnfInstance: { href: vnfInstanceUrl(root, vnfInstanceId) },
  subscription: { href: subscriptionUrl(root, subscriptionId) },
});

const commonOf = (delivery: Delivery, vnfInstanceId: string) => ({
  id: delivery.id,
  subscriptionId: delivery.subscriptionId,
  timeStamp: delivery.timeStamp,
  vnfInstanceId,
});

/** After `POST /vnf_instances` (SOL003 5.5.2.18). */
export const creationNotification = (delivery: Delivery, vnfInstanceId: string): VnfIdentifierCreationNotification => ({
  ...commonOf(delivery, vnfInstanceId),
  notificationType: 'VnfIdentifierCreationNotification',
  _links: linksOf(delivery, vnfInstanceId),
});

/** After `DELETE /vnf_instances/{id}` (SOL003 5.5.2.19). */
export const deletionNotification = (delivery: Delivery, vnfInstanceId: string): VnfIdentifierDeletionNotification => ({
  ...commonOf(delivery, vnfInstanceId),
  notificationType: 'VnfIdentifierDeletionNotification',
  _links: linksOf(delivery, vnfInstanceId),
});

const V1_START: readonly LcmOperationStateType[] = ['STARTING', 'PROCESSING', 'ROLLING_BACK'];

/**
 * START or RESULT. In v1 an operation that is at work is START. In v2 only its beginning is, which is PROCESSING for a
 * MODIFY_INFO; later states are results, intermediate ones too (SOL003 5.6.2.2).
 */
export function notificationStatus(
  state: LcmOperationStateType,
  operation: LcmOperationTypeV2,
  { major }: Edition,
): 'START' | 'RESULT' {
  if (major === 1) return V1_START.includes(state) ? 'START' : 'RESULT';
  return state === 'STARTING' || state === initialState(operation) ? 'START' : 'RESULT';
}

/** States in which work has ended, for good or for now: only then it is known what was affected. */
const ENDED: readonly LcmOperationStateType[] = ['COMPLETED', 'FAILED_TEMP', 'FAILED', 'ROLLED_BACK'];
const WITH_ERROR: readonly LcmOperationStateType[] = ['FAILED_TEMP', 'FAILED', 'ROLLED_BACK'];

/** After every change of an operation's state (SOL003 5.5.2.17). Secrets in it are masked. */
export function opOccNotification(
  delivery: Delivery,
  occurrence: VnfLcmOpOcc,
  edition: Edition = { major: 1 },
): VnfLcmOperationOccurrenceNotification {
  const { operationState, operation, vnfInstanceId, resourceChanges, changedInfo, changedExtConnectivity, error } = occurrence;
  const full = edition.major === 1 || edition.verbosity !== 'SHORT';
  const changes = omit(changedInfo ?? {}, ['vimConnectionInfo', 'vnfPkgId']);
  const results = {
    ...(full ? resourceChanges : {}),
    ...(full && Object.keys(changes).length > 0 ? { changedInfo: changes } : {}),
    ...(full && changedExtConnectivity !== undefined ? { changedExtConnectivity } : {}),
  };
  const notification: VnfLcmOperationOccurrenceNotification = {
    ...commonOf(delivery, vnfInstanceId),
    notificationType: 'VnfLcmOperationOccurrenceNotification',
    notificationStatus: notificationStatus(operationState, operation, edition),
    operationState,
    operation,
    isAutomaticInvocation: occurrence.isAutomaticInvocation,
    ...(edition.major === 2 ? { verbosity: edition.verbosity ?? 'FULL' } : {}),
    vnfLcmOpOccId: occurrence.id,
    ...(ENDED.includes(operationState) ? results : {}),
    ...(WITH_ERROR.includes(operationState) && error !== undefined ? { error } : {}),
    _links: { ...linksOf(delivery, vnfInstanceId), vnfLcmOpOcc: { href: opOccUrl(delivery.root, occurrence.id) } },
  };
  return omitEmpty(maskedAttributes(notification));
}
