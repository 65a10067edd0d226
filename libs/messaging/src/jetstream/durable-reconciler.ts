import type { ConsumerInfo, JetStreamManager } from '@nats-io/jetstream';
import type { Subscription } from '@nats-io/transport-node';
import { setTimeout as pause } from 'node:timers/promises';
import { millis, seconds, type Duration } from '@windlass/foundation';
import type { MessagingLog, NatsLink } from '../link/nats-link.js';
import { couldDeliver, ensureDurable, isStuck, stepDurable, type DurableSpec } from './durables.js';
import { API_CODES, hasApiCode, managerOf, stepStream } from './streams.js';

export interface ReconcilerOptions {
  link: NatsLink;
  log: MessagingLog;
  /** Services with an enrolled key; asked at each look. */
  services: () => Promise<readonly string[]>;
  /** The coordinators' own service. */
  own: string;
  /** Makes the streams that are missing. */
  ensureStreams: () => Promise<void>;
  /** How a service's durable is wanted; {@link stepDurable} by default. */
  specOf?: (service: string) => DurableSpec;
  /** Between two looks that nothing asked for; 5 s by default. */
  every?: Duration;
}

/** Between two looks. Looks find what no message tells this coordinator: a durable that is stuck, a key that another coordinator enrolled. */
const EVERY = seconds(5);
/** Pauses before the next look after one that failed. */
const FAILURE_PAUSES = { first: millis(100), longest: seconds(2) };
/** Between two looks at a durable that seems to be stuck: long enough for a delivery under way. */
const STUCK_PAUSE = seconds(1);

/** What the server tells when a stream or a durable of it is deleted. */
export const ADVISORIES = [
  `$JS.EVENT.ADVISORY.STREAM.DELETED.${stepStream.name}`,
  `$JS.EVENT.ADVISORY.CONSUMER.DELETED.${stepStream.name}.*`,
];

/**
 * Makes and repairs the durable of every service that has an enrolled key. Workers may not, for a user who makes durables and streams can read all
 * services' wake-ups. Each coordinator has a reconciler; several at once do the same.
 */
export class DurableReconciler {
  readonly #stopping = new AbortController();
  readonly #known = new Set<string>();
  readonly #advisories: Subscription[] = [];
  #wake: AbortController | undefined;
  #asked = false;
  #loop: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;
  #complaint: string | undefined;

  constructor(private readonly options: ReconcilerOptions) {
    this.#known.add(options.own);
  }

  start(): this {
    const { link } = this.options;
    this.#unsubscribe = link.onReconnect(() => this.#look());
    for (const subject of ADVISORIES) {
      const callback = (error: Error | null) => {
        if (error === null) this.#look();
        else this.options.log.error('deletions of streams are not told to us', { subject, error: error.message });
      };
      this.#advisories.push(link.connection.subscribe(subject, { callback }));
    }
    this.#loop ??= this.#run();
    return this;
  }

  /** The service has a key now: its durable is made at once. */
  keep(service: string): void {
    if (this.#known.has(service)) return;
    this.#known.add(service);
    this.#look();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unsubscribe?.();
    this.#wake?.abort();
    await Promise.all(this.#advisories.splice(0).map((subscription) => this.options.link.leave(subscription)));
    await this.#loop;
  }

  #look(): void {
    this.#asked = true;
    this.#wake?.abort();
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#isStopping()) {
      this.#asked = false;
      const failure = await this.#round();
      this.#complain(failure);
      failures = failure === undefined ? 0 : failures + 1;
      const again = Math.min(FAILURE_PAUSES.first * 2 ** (failures - 1), FAILURE_PAUSES.longest);
      await this.#sleep(failures === 0 ? (this.options.every ?? EVERY) : millis(again));
    }
  }

  /** Looks once at all durables, unless the connection is away. @returns what was wrong, if anything was */
  async #round(): Promise<string | undefined> {
    const { link, services } = this.options;
    const wrong: string[] = [];
    const noted = (error: unknown): void => void wrong.push(error instanceof Error ? error.message : String(error));
    try {
      for (const service of await services()) this.#known.add(service);
    } catch (error) {
      noted(error); // those that we know are looked after all the same
    }
    if (!link.state.connected) return wrong[0];
    const manager = await managerOf(link.connection);
    const seen = new Map<DurableSpec, ConsumerInfo>();
    for (const service of this.#known) {
      try {
        const spec = (this.options.specOf ?? stepDurable)(service);
        seen.set(spec, await this.#ensure(manager, spec));
      } catch (error) {
        noted(error);
      }
    }
    await this.#remakeIfStuck(manager, seen).catch(noted);
    return wrong[0];
  }

  async #ensure(manager: JetStreamManager, spec: DurableSpec): Promise<ConsumerInfo> {
    const once = async (): Promise<ConsumerInfo> => {
      const { info, done } = await ensureDurable(manager, spec);
      if (done !== undefined) this.options.log.info(`${done} a consumer`, { consumer: spec.durable });
      return info;
    };
    try {
      return await once();
    } catch (error) {
      if (!hasApiCode(error, API_CODES.streamNotFound)) throw error;
      await this.options.ensureStreams();
      return once();
    }
  }

  /**
   * A server that has messages for a service, has its pulls waiting, and delivers nothing, can't read its own files: after a crash, say, or
   * after a stream was deleted and recreated too quickly. Only a new stream helps, and a stream's content can always be sent again.
   */
  async #remakeIfStuck(manager: JetStreamManager, seen: ReadonlyMap<DurableSpec, ConsumerInfo>): Promise<void> {
    const suspects = [...seen].filter(([, info]) => couldDeliver(info));
    if (suspects.length === 0) return;
    await pause(STUCK_PAUSE, undefined, { signal: this.#stopping.signal }).catch(() => undefined); // stopping ends every pause
    for (const [{ durable }, before] of suspects) {
      if (this.#isStopping()) return;
      if (!isStuck(before, await manager.consumers.info(stepStream.name, durable))) continue;
      this.options.log.error('a stream holds messages that the server can’t deliver; making it anew', {
        stream: stepStream.name,
        consumer: durable,
      });
      await manager.streams.delete(stepStream.name);
      this.#asked = true;
      return;
    }
  }

  /** Logs each new reason once, not at each look. */
  #complain(reason: string | undefined): void {
    if (reason !== undefined && reason !== this.#complaint)
      this.options.log.warn('consumers could not all be looked after; trying again', { reason });
    this.#complaint = reason;
  }

  /** Sleeps until the time is over, a look is asked for, or we stop. The time is jittered, so that replicas look at different times. */
  async #sleep(time: Duration): Promise<void> {
    if (this.#asked || this.#isStopping()) return;
    this.#wake = new AbortController();
    await pause(time * (0.75 + Math.random() / 2), undefined, { signal: this.#wake.signal }).catch(() => undefined); // woken early
    this.#wake = undefined;
  }

  /** A method, not a constant: the signal changes while others are awaited. */
  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }
}
