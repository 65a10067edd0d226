import {
  DiscardPolicy,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { setTimeout as pause } from 'node:timers/promises';
import { days, hours, millis, minutes, type Duration } from '@windlass/foundation';
import type { MessagingLog, NatsLink } from '../link/nats-link.js';

/** A stream as we want it. A coordinator that finds it missing makes it again, while running. */
export interface StreamSpec {
  readonly name: string;
  readonly subjects: readonly string[];
  /** `work`: a message is kept until it is acknowledged. `events`: until it is too old or the stream too large. */
  readonly kind: 'work' | 'events';
  readonly maxAge: Duration;
  readonly maxBytes?: number;
  /** A message with an id seen in this time is dropped. */
  readonly duplicateWindow: Duration;
}

/** Wake-ups. One older than an hour is worth nothing: the sweep has sent it again, or the step failed at its dispatch deadline. */
export const stepStream: StreamSpec = {
  name: 'windlass-steps',
  subjects: ['windlass.step.*'],
  kind: 'work',
  maxAge: hours(1),
  duplicateWindow: minutes(2),
};

/** What happened, for live views and anyone who listens; nothing depends on it. */
export const eventStream: StreamSpec = {
  name: 'windlass-events',
  subjects: ['windlass.event.>'],
  kind: 'events',
  maxAge: days(1),
  maxBytes: 256 * 1024 * 1024,
  duplicateWindow: minutes(2),
};

const nanos = (duration: Duration): number => duration * 1_000_000;

/** Codes of the JetStream API (nats-server, server/errors.json). */
export const API_CODES = {
  streamNotFound: 10_059,
  streamNameInUse: 10_058,
  consumerNotFound: 10_014,
  consumerExists: 10_148,
} as const;

export const hasApiCode = (error: unknown, code: number): boolean => error instanceof JetStreamApiError && error.code === code;

function configOf(spec: StreamSpec, replicas: number): Pick<StreamConfig, 'name' | 'subjects'> & Partial<StreamConfig> {
  return {
    name: spec.name,
    subjects: [...spec.subjects],
    storage: StorageType.File,
    retention: spec.kind === 'work' ? RetentionPolicy.Workqueue : RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(spec.maxAge),
    duplicate_window: nanos(spec.duplicateWindow),
    num_replicas: replicas,
    ...(spec.maxBytes === undefined ? {} : { max_bytes: spec.maxBytes }),
  };
}

/** The management API, without the account query at its start, which limited users may not make. */
export const managerOf = (connection: NatsConnection): Promise<JetStreamManager> =>
  jetstreamManager(connection, { checkAPI: false, timeout: 5_000 });

/**
 * Makes the streams that are missing and changes those that differ. Can be repeated at any time by anyone.
 * @param replicas copies of each stream in a NATS cluster: 1 or 3
 */
export async function ensureStreams(
  link: NatsLink,
  specs: readonly StreamSpec[],
  log: MessagingLog,
  replicas = 1,
): Promise<void> {
  const manager = await managerOf(link.connection);
  for (const spec of specs) await ensureStream(manager, spec, log, replicas);
}

/**
 * How long a stream must have been missing before it is made again: nats-server 2.9 says that it has deleted a stream before it has, and goes
 * on to remove the files of a new one by that name. Messages in such a stream are never delivered, and purging it crashes the server.
 */
const DELETION_SETTLES = millis(500);

async function ensureStream(manager: JetStreamManager, spec: StreamSpec, log: MessagingLog, replicas: number): Promise<void> {
  const wanted = configOf(spec, replicas);
  let present = await configIn(manager, spec.name);
  if (present === undefined) {
    await pause(DELETION_SETTLES);
    present = await configIn(manager, spec.name);
  }
  if (present === undefined) {
    await manager.streams.add(wanted);
    log.info('made a stream', { stream: spec.name });
  } else if (differs(wanted, present)) {
    await manager.streams.update(spec.name, wanted);
    log.info('changed a stream', { stream: spec.name });
  }
}

async function configIn(manager: JetStreamManager, name: string): Promise<StreamConfig | undefined> {
  try {
    return (await manager.streams.info(name)).config;
  } catch (error) {
    if (hasApiCode(error, API_CODES.streamNotFound)) return undefined;
    throw error;
  }
}

/** Only what we set is compared: an operator's other settings stay. */
const differs = (wanted: Partial<StreamConfig>, present: StreamConfig): boolean =>
  (Object.keys(wanted) as (keyof StreamConfig)[]).some((key) => JSON.stringify(wanted[key]) !== JSON.stringify(present[key]));
