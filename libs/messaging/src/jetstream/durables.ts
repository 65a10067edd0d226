import { AckPolicy, DeliverPolicy, type ConsumerConfig, type ConsumerInfo, type JetStreamManager } from '@nats-io/jetstream';
import { seconds, type Duration } from '@windlass/foundation';
import { stepConsumer, subjects } from '../contracts/subjects.js';
import { API_CODES, hasApiCode, stepStream } from './streams.js';

/** A durable consumer of wake-ups. One subject: nats-server 2.9 allows no more. */
export interface DurableSpec {
  readonly durable: string;
  readonly subject: string;
  /** A message neither settled nor extended for this long is delivered again. */
  readonly ackWait: Duration;
}

/** The durable that all replicas of a service share. */
export const stepDurable = (service: string): DurableSpec => ({
  durable: stepConsumer(service),
  subject: subjects.step(service),
  ackWait: seconds(30),
});

const configOf = ({ durable, subject, ackWait }: DurableSpec): Partial<ConsumerConfig> => ({
  durable_name: durable,
  filter_subject: subject,
  deliver_policy: DeliverPolicy.All,
  ack_policy: AckPolicy.Explicit,
  ack_wait: ackWait * 1_000_000,
  max_deliver: -1,
  // Over all replicas: messages delivered and not yet settled, and pulls that wait.
  max_ack_pending: 1_024,
  max_waiting: 2_048,
});

/** Only what we set is compared: an operator's other settings stay. */
const differs = (wanted: Partial<ConsumerConfig>, present: ConsumerConfig): boolean =>
  (Object.keys(wanted) as (keyof ConsumerConfig)[]).some((key) => JSON.stringify(wanted[key]) !== JSON.stringify(present[key]));

/**
 * Makes the durable, or changes it to what we want; can be repeated at any time, by several coordinators at once.
 * @returns how it is, and whether anything was done
 * @throws JetStreamApiError where the stream is missing
 */
export async function ensureDurable(
  manager: JetStreamManager,
  spec: DurableSpec,
): Promise<{ info: ConsumerInfo; done?: 'made' | 'changed' }> {
  const config = configOf(spec);
  const present = await durableIn(manager, spec);
  if (present !== undefined && !differs(config, present.config)) return { info: present };
  if (present === undefined) {
    try {
      return { info: await manager.consumers.add(stepStream.name, config), done: 'made' };
    } catch (error) {
      if (!hasApiCode(error, API_CODES.consumerExists)) throw error;
    }
  }
  return { info: await manager.consumers.update(stepStream.name, spec.durable, config), done: 'changed' };
}

async function durableIn(manager: JetStreamManager, { durable }: DurableSpec): Promise<ConsumerInfo | undefined> {
  try {
    return await manager.consumers.info(stepStream.name, durable);
  } catch (error) {
    if (hasApiCode(error, API_CODES.consumerNotFound)) return undefined;
    throw error;
  }
}

/** Whether it has messages to deliver, pulls that wait for them, and room for more: then they are delivered at once, or something is wrong. */
export const couldDeliver = ({ num_pending, num_waiting, num_ack_pending, config }: ConsumerInfo): boolean =>
  num_pending > 0 && num_waiting > 0 && num_ack_pending < (config.max_ack_pending ?? Infinity);

/** Whether it has delivered nothing between two looks at which it could, a second apart. */
export const isStuck = (before: ConsumerInfo, after: ConsumerInfo): boolean =>
  couldDeliver(before) &&
  couldDeliver(after) &&
  before.created === after.created &&
  before.delivered.consumer_seq === after.delivered.consumer_seq;
