import { InvariantError } from '@windlass/foundation';
import type { MessagingLog } from '@windlass/messaging';
import type { OutboundClient } from '@windlass/outbound';
import { NOTIFICATIONS_CHANNEL, PgListener, PgNotificationOutbox, PgSubscriptions, type Vault } from '@windlass/persistence';
import { notificationMetrics, type ServiceContext } from '@windlass/service-kit';
import type { DataSource } from 'typeorm';
import type { PublicUrl } from '../links/public-url.js';
import { NotificationBodies } from './notification-body.js';
import { defaultSenderPolicy, NotificationSenders, type SenderPolicy } from './notification-senders.js';
import type { Rendering } from '../rendering/rendering.js';
import type { RequestTrail } from '../trail/request-trail.js';
import { SubscriptionAnswers } from '../subscriptions/subscription-answers.js';
import { Subscriptions } from '../subscriptions/subscriptions.js';

/** A limit, because each subscription costs every change of its project a row. */
export const DEFAULT_MOST = 100;

/** What subscriptions and notifications can be told. */
export interface NotificationOptions {
  /** How they are sent; {@link defaultSenderPolicy} where it says nothing. */
  readonly senders?: Partial<SenderPolicy>;
  /** Whether a callback is asked before it is subscribed; true by default. */
  readonly testsCallbacks?: boolean;
  /** How many subscriptions a project may have at an API; {@link DEFAULT_MOST} by default. */
  readonly most?: number;
  /** Where figures are shown. */
  readonly metrics?: ServiceContext['metrics'];
}

/** What subscriptions and their notifications consist of: `provided` for the controllers, `senders` to be started and stopped. */
export function subscriptionServices(
  dependencies: {
    database: DataSource;
    vault: Vault;
    trail: RequestTrail;
    publicUrl: PublicUrl;
    rendering: Rendering;
    outbound: OutboundClient;
    log: MessagingLog;
  },
  options: NotificationOptions = {},
) {
  const { database, vault, trail, publicUrl, rendering, outbound, log } = dependencies;
  const policy = { ...defaultSenderPolicy, ...options.senders };
  const kept = new PgSubscriptions(database, vault);
  const outbox = new PgNotificationOutbox(database, vault);
  const subscriptions = new Subscriptions(kept, outbound, trail, options.testsCallbacks ?? true, options.most ?? DEFAULT_MOST);
  const { metrics } = options;
  const senders = new NotificationSenders({
    outbox,
    subscriptions: kept,
    bodies: new NotificationBodies(publicUrl, rendering),
    outbound,
    listener: listenerOf(database),
    policy,
    count: metrics === undefined ? () => undefined : notificationMetrics(metrics, () => outbox.totals()),
    log,
  });
  return { senders, provided: [outbox, new SubscriptionAnswers(subscriptions, publicUrl)] };
}

function listenerOf({ options }: DataSource): PgListener {
  if (options.type !== 'postgres' || options.url === undefined) throw new InvariantError('the database has no URL to listen at');
  return new PgListener({ url: options.url, channel: NOTIFICATIONS_CHANNEL, applicationName: 'windlass notifications' });
}
