import { InvariantError } from '@windlass/foundation';
import type { ChangeFacts, SubscriptionRecord, WaitingNotification } from '@windlass/persistence';
import {
  creationNotification,
  deletionNotification,
  onboardingNotification,
  opOccNotification,
  packageChangeNotification,
  type Delivery,
  type LcmNotification,
  type PkgmNotification,
} from '@windlass/sol003';
import type { PublicUrl } from '../links/public-url.js';
import type { Rendering } from '../rendering/rendering.js';
import { SUBSCRIBED_APIS } from '../subscriptions/subscribed-apis.js';

/** Renders what waits as its subscriber gets it, from the facts of the moment of the change: secrets masked as answers have them. */
export class NotificationBodies {
  constructor(
    private readonly publicUrl: PublicUrl,
    private readonly rendering: Rendering,
  ) {}

  async of(waiting: WaitingNotification, subscription: SubscriptionRecord): Promise<LcmNotification | PkgmNotification> {
    const delivery: Delivery = {
      id: waiting.notificationId,
      timeStamp: waiting.at,
      subscriptionId: subscription.id,
      root: this.publicUrl.of(SUBSCRIBED_APIS[subscription.api].uriPrefix),
    };
    const { facts } = waiting;
    switch (facts.about) {
      case 'vnf':
        return (facts.change === 'created' ? creationNotification : deletionNotification)(delivery, facts.instance.id);
      case 'operation': {
        const occurrence = await this.rendering.opOccAsNotified(recordOf(facts));
        const v2 = { major: 2, verbosity: subscription.verbosity ?? 'FULL' } as const;
        return opOccNotification(delivery, occurrence, subscription.api === 'vnflcm-v2' ? v2 : { major: 1 });
      }
      case 'package':
        return packageNotification(delivery, facts);
    }
  }
}

const recordOf = ({ opOcc }: Extract<ChangeFacts, { about: 'operation' }>) => ({
  ...opOcc,
  stateEnteredTime: new Date(opOcc.stateEnteredTime),
  startTime: new Date(opOcc.startTime),
});

function packageNotification(delivery: Delivery, facts: Extract<ChangeFacts, { about: 'package' }>): PkgmNotification {
  const { id, vnfdId, operationalState } = facts.package;
  if (vnfdId === undefined) throw new InvariantError(`package ${id} was notified before it had a VNFD`);
  if (facts.notificationType === 'VnfPackageOnboardingNotification') return onboardingNotification(delivery, { id, vnfdId });
  return packageChangeNotification(delivery, { id, vnfdId }, facts.changeType === 'PKG_DELETE' ? undefined : operationalState);
}
