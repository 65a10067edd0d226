import { asWindlassError, hours, millis, minutes, seconds, type Duration } from '@windlass/foundation';
import type { MessagingLog } from '@windlass/messaging';
import type { OutboundClient } from '@windlass/outbound';
import type { PgListener, PgNotificationOutbox, PgSubscriptions, WaitingNotification } from '@windlass/persistence';
import { randomUUID } from 'node:crypto';
import { setInterval } from 'node:timers';
import { callbackAuth } from '../subscriptions/callback-auth.js';
import type { NotificationBodies } from './notification-body.js';

/** How notifications are sent. */
export interface SenderPolicy {
  /** Between two looks for what waits, where nothing woke the sender. */
  readonly poll: Duration;
  /** By how much a subscription's lease is longer than a delivery: enough to fetch two tokens of OAuth 2.0, of 10 s each. */
  readonly leaseMargin: Duration;
  /** One delivery. */
  readonly within: Duration;
  /** Subscriptions that one replica sends to at once. */
  readonly atOnce: number;
  /** How long one subscription is sent to before others have their turn. */
  readonly turn: Duration;
  /** The first pause after a failure; each further one is twice as long. */
  readonly firstPause: Duration;
  readonly longestPause: Duration;
  /** Notifications that have waited longer are dropped. */
  readonly keep: Duration;
  /** The most notifications that wait for one subscription. Beyond that the oldest are dropped. */
  readonly maxPending: number;
  /** The pause between two looks for notifications to drop. */
  readonly trim: Duration;
}

/** What holds where nobody says otherwise. */
export const defaultSenderPolicy: SenderPolicy = {
  poll: seconds(2),
  leaseMargin: seconds(25),
  within: seconds(10),
  atOnce: 50,
  turn: seconds(20),
  firstPause: seconds(1),
  longestPause: minutes(5),
  keep: hours(24),
  maxPending: 10_000,
  trim: seconds(30),
};

/** What became of a delivery, for the metrics. */
export type DeliveryResult = 'delivered' | 'failed' | 'dropped';

/** Read at once. */
const BATCH = 20;

type SubscriptionToSend = NonNullable<Awaited<ReturnType<PgSubscriptions['withAuthentication']>>>;

/** What a sender is made of. */
export interface SenderDependencies {
  readonly outbox: PgNotificationOutbox;
  readonly subscriptions: PgSubscriptions;
  readonly bodies: NotificationBodies;
  readonly outbound: OutboundClient;
  readonly listener: PgListener;
  readonly policy: SenderPolicy;
  readonly count: (result: DeliveryResult, times: number) => void;
  readonly log: MessagingLog;
}

/**
 * Sends waiting notifications: to each subscription in order, by the replica that holds its lease. After a failure the lease is given back and the
 * delivery repeated after a growing pause; other subscriptions do not wait for it.
 */
export class NotificationSenders {
  readonly #owner = randomUUID();
  readonly #stopping = new AbortController();
  readonly #lease: Duration;
  readonly #turns = new Map<string, Promise<void>>();
  readonly #timers: NodeJS.Timeout[] = [];
  #looking: Promise<void> | undefined;
  #again = false;
  /** Whether at the last look more subscriptions may have waited than there were places for. */
  #crowded = false;
  /** How often something was written that may wait for anybody. */
  #wakes = 0;

  constructor(private readonly dependencies: SenderDependencies) {
    const { within, leaseMargin } = dependencies.policy;
    this.#lease = millis(within + leaseMargin);
  }

  start(): void {
    const { listener, policy } = this.dependencies;
    listener.onWake(() => {
      this.#wakes++;
      this.#look();
    });
    this.#timers.push(
      setInterval(() => this.#look(), policy.poll),
      setInterval(() => void this.#trim(), policy.trim),
    );
    this.#look();
  }

  /** Aborts deliveries under way. Another replica, or this one after its restart, sends them again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#timers.forEach((timer) => clearInterval(timer));
    await this.dependencies.listener.close();
    await this.#looking;
    await Promise.all(this.#turns.values());
  }

  #look(): void {
    this.#again = true;
    this.#looking ??= this.#claimAll().finally(() => (this.#looking = undefined));
  }

  async #claimAll(): Promise<void> {
    const { outbox, log } = this.dependencies;
    // A turn may have ended during the look, before it was known that other subscriptions wait for its place.
    while ((this.#again || (this.#crowded && this.#free > 0)) && !this.#stopping.signal.aborted) {
      this.#again = false;
      const free = this.#free;
      this.#crowded = free <= 0;
      if (this.#crowded) return;
      try {
        const ids = await outbox.claim(this.#owner, this.#lease, free);
        this.#crowded = ids.length === free;
        for (const id of ids) this.#begin(id);
      } catch (error) {
        log.warn('waiting notifications could not be looked for; trying again', { error: asWindlassError(error).message });
      }
    }
  }

  get #free(): number {
    return this.dependencies.policy.atOnce - this.#turns.size;
  }

  #begin(id: string): void {
    const turn = this.#serve(id)
      .catch((error: unknown) => {
        // The lease ends by itself.
        this.dependencies.log.warn('notifications could not be sent; trying again', {
          subscriptionId: id,
          error: asWindlassError(error).message,
        });
        return 'more' as const;
      })
      .then((left) => {
        this.#turns.delete(id);
        // Others may wait for this turn's place, or something for this subscription may have come when its lease was still held.
        if (left === 'more' || this.#crowded) this.#look();
      });
    this.#turns.set(id, turn);
  }

  /** @returns `more` where something may wait for the subscription that this turn has not seen */
  async #serve(id: string): Promise<'all' | 'more'> {
    const { outbox, subscriptions, policy } = this.dependencies;
    const until = performance.now() + policy.turn;
    for (;;) {
      const wakes = this.#wakes;
      const subscription = subscriptions.withAuthentication(id);
      // A fault of the subscription is reported where its delivery fails.
      subscription.catch(() => undefined);
      const waiting = await outbox.waiting(id, BATCH);
      const left = (): 'all' | 'more' => (this.#wakes === wakes ? 'all' : 'more');
      if (waiting.length === 0) {
        await outbox.release(id, this.#owner);
        return left();
      }
      for (const [n, each] of waiting.entries()) {
        if (this.#isStopping() || performance.now() > until) {
          await outbox.release(id, this.#owner);
          return 'more';
        }
        const reason = await this.#deliver(subscription, each);
        if (reason !== undefined) {
          await (this.#isStopping() ? outbox.release(id, this.#owner) : this.#failed(id, reason));
          return left();
        }
        this.dependencies.count('delivered', 1);
        const isLast = waiting.length < BATCH && n === waiting.length - 1;
        if (!(await outbox.delivered(id, this.#owner, this.#lease, each.number, isLast))) return 'more';
        if (isLast) return left();
      }
    }
  }

  #isStopping = (): boolean => this.#stopping.signal.aborted;

  /** @returns why it failed; undefined where the subscriber took it, or where the subscription is deleted and nobody is left to take it */
  async #deliver(
    found: Promise<SubscriptionToSend | undefined>,
    waiting: WaitingNotification,
  ): Promise<{ reason: string; status: number | null } | undefined> {
    const { bodies, outbound, policy } = this.dependencies;
    try {
      const subscription = await found;
      if (subscription === undefined) return undefined;
      const { status } = await outbound.send({
        method: 'POST',
        url: subscription.callbackUri,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(await bodies.of(waiting, subscription)),
        auth: callbackAuth(subscription.authentication),
        within: policy.within,
        signal: this.#stopping.signal,
      });
      if (status >= 200 && status < 300) return undefined;
      return { reason: `the subscriber answered ${status}; expected 204, or another status of success`, status };
    } catch (error) {
      return { reason: asWindlassError(error).message, status: null };
    }
  }

  async #failed(id: string, failure: { reason: string; status: number | null }): Promise<void> {
    const { outbox, policy, log, count } = this.dependencies;
    count('failed', 1);
    const pause = (attempts: number): Duration => {
      const grown = Math.min(policy.firstPause * 2 ** Math.min(attempts - 1, 30), policy.longestPause);
      // Random, so that subscriptions that failed together are not tried again together.
      return millis(grown * (0.8 + Math.random() * 0.4));
    };
    const attempts = await outbox.failed(id, this.#owner, failure, pause);
    if (attempts === 1 || attempts % 10 === 0)
      log.warn('a notification could not be delivered; it is tried again', {
        subscriptionId: id,
        attempts,
        reason: failure.reason,
      });
  }

  async #trim(): Promise<void> {
    const { outbox, policy, log, count } = this.dependencies;
    try {
      for (const { id, dropped } of await outbox.trim(policy.keep, policy.maxPending)) {
        count('dropped', dropped);
        log.error('notifications were dropped: their subscriber was away for too long, or too many waited', {
          subscriptionId: id,
          dropped,
        });
      }
      await outbox.sweep();
    } catch (error) {
      log.warn('old notifications could not be looked for; trying again', { error: asWindlassError(error).message });
    }
  }
}
