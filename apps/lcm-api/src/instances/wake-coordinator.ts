import { BEGIN_STEP, COORDINATOR_SERVICE } from '@windlass/lifecycle';
import { NatsWakeUpSender, StreamPublisher, type MessagingLog, type NatsLink } from '@windlass/messaging';

/**
 * Calls a coordinator to operations that are accepted: the wake-up goes out at once, over NATS. It stands in no outbox: an accepted operation is looked for by the
 * sweeps of all coordinators, twice a second, which is what begins it where the wake-up is lost.
 */
export function callsToBegin(link: NatsLink, log: MessagingLog): (operationId: string) => void {
  // This publisher makes no stream.
  const sender = new NatsWakeUpSender(new StreamPublisher(link, [], log), log);
  return (operationId) => void sender.notify([{ operationId, stepId: BEGIN_STEP, epoch: 0, service: COORDINATOR_SERVICE }]);
}
