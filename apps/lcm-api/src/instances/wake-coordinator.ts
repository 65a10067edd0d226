import { BEGIN_STEP, COORDINATOR_SERVICE } from '@windlass/lifecycle';
import { NatsWakeUpSender, StreamPublisher, type MessagingLog, type NatsLink } from '@windlass/messaging';

/**
 * Wakes a coordinator for an operation that is accepted: the wake-up goes out at once, over NATS. It stands in no outbox: where it is lost, a
 * coordinator's sweep begins the operation, twice a second.
 */
export function coordinatorWaker(link: NatsLink, log: MessagingLog): (operationId: string) => void {
  // This publisher makes no stream.
  const sender = new NatsWakeUpSender(new StreamPublisher(link, [], log), log);
  return (operationId) => void sender.notify([{ operationId, stepId: BEGIN_STEP, epoch: 0, service: COORDINATOR_SERVICE }]);
}
