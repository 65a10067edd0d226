import {
  AuthorizationError,
  ClosedConnectionError,
  connect,
  PermissionViolationError,
  type Msg,
  type NatsConnection,
  type Status,
  type Subscription,
} from '@nats-io/transport-node';
import { setTimeout as pause } from 'node:timers/promises';
import {
  describeDuration,
  millis,
  seconds,
  Secret,
  TerminalError,
  TimeLimit,
  TransientError,
  type Duration,
} from '@windlass/foundation';
import { newInbox } from './inbox.js';
import type { MessagingLog } from './messaging-log.js';
import { warnOfOldServer } from './old-server.js';
import { ReplyInbox } from './reply-inbox.js';

export type { MessagingLog };

/** Files in PEM, read at each connect: a renewed certificate counts from the next one on. */
export interface LinkTls {
  /** Whom the server's certificate must be from; the system's authorities by default. */
  caFile?: string;
  /** Our own certificate and its key, where the server asks for one. */
  certFile?: string;
  keyFile?: string;
}

export interface LinkOptions {
  /** `nats://host:port`, or several separated by commas. Credentials in it are refused: they would end up in logs. */
  url: string;
  /** With `tls://` alone. Such a link is never unencrypted, whatever the server offers. */
  tls?: LinkTls;
  user?: string;
  password?: Secret;
  /** The connection's name in the server's eyes: the service, and which replica. */
  name: string;
  log: MessagingLog;
  /** How long the first connection may take; without it as long as `signal` lets it. */
  within?: Duration;
  signal?: AbortSignal;
}

/** Whether messages can go out, and since when not. */
export type LinkState = { connected: true } | { connected: false; since: Date };

/** How long after a loss the next try comes; with as much again at random, so that services do not all come at once. */
const RECONNECT_EVERY = millis(250);

/** How long leaving a subject or the server waits for its word. */
const ROUND_TRIP = seconds(2);

/** A server that answers no ping for this long is taken for lost: 2 x 5 s. */
const PING_EVERY = seconds(5);
const PINGS_UNANSWERED = 2;

/**
 * One connection to NATS. It reconnects for ever; requests made while it is away wait for it instead of piling up in a buffer that would be
 * sent, stale, when it is back.
 */
export class NatsLink {
  #disconnectedSince: Date | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #waiting = new Set<() => void>();
  readonly #replies: ReplyInbox;
  /** Servers and their versions, each of which is warned of once. */
  readonly #seen = new Set<string>();
  #closing = false;

  /** @internal use {@link connectNats} */
  constructor(
    readonly connection: NatsConnection,
    readonly name: string,
    private readonly log: MessagingLog,
    /** The NATS user, whose inboxes are used. */
    private readonly user?: string,
  ) {
    this.#lookAtServer();
    this.#replies = new ReplyInbox(connection, newInbox(user), log);
    void this.#watch();
    void connection.closed().then((error) => {
      this.#replies.close(error instanceof Error ? error : new ClosedConnectionError());
      if (!this.#closing) this.log.error('the NATS connection ended for good', { error: error?.message });
      this.#disconnectedSince ??= new Date();
      for (const wake of this.#waiting) wake();
    });
  }

  get state(): LinkState {
    return this.#disconnectedSince === undefined ? { connected: true } : { connected: false, since: this.#disconnectedSince };
  }

  /** Largest message the server takes, in bytes. */
  get maxPayload(): number {
    return this.connection.info?.max_payload ?? 1024 * 1024;
  }

  /** A subject below our user's inboxes that nobody else can guess. */
  newInbox(): string {
    return newInbox(this.user);
  }

  /** Asks once: {@link ReplyInbox.request}. */
  request<T extends object>(
    subject: string,
    bytes: Uint8Array,
    within: Duration,
    read: (answer: Msg) => T | undefined,
  ): Promise<T> {
    return this.#replies.request(subject, bytes, within, read);
  }

  /** Calls back each time the connection came back: servers may have forgotten streams and consumers meanwhile. */
  onReconnect(callback: () => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  /**
   * Resolves when messages can go out: at once, or after a reconnect.
   * @throws TransientError `messaging.disconnected` when that takes longer than the limit, the signal aborts, or the link is closed
   */
  async connected(within: Duration, signal?: AbortSignal): Promise<void> {
    if (this.#disconnectedSince === undefined) return;
    const limit = new TimeLimit(within, signal);
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        limit.stop();
        resolve();
      };
      this.#waiting.add(done);
      if (limit.signal.aborted) done();
      else limit.signal.addEventListener('abort', done, { once: true });
    });
    const since = this.#lostSince();
    if (since !== undefined) {
      throw new TransientError(
        'messaging.disconnected',
        `no connection to NATS since ${since.toISOString()}; waited ${describeDuration(within)}`,
      );
    }
  }

  /**
   * Leaves a subject: what the server had already sent is still handled, but for the limit, and while the connection is away there is nothing
   * to wait for.
   */
  async leave(subscription: Subscription): Promise<void> {
    if (this.connection.isClosed() || subscription.isClosed()) return;
    if (this.#disconnectedSince !== undefined) subscription.unsubscribe();
    else await this.#unlessLost(subscription.drain());
  }

  /** Resolves when the server has what was sent; at once while the connection is away. */
  async flushed(): Promise<void> {
    if (!this.connection.isClosed() && this.#disconnectedSince === undefined) await this.#unlessLost(this.connection.flush());
  }

  /** Ends in order: subscriptions stop, what was received is handled, what was sent is flushed. */
  async drain(): Promise<void> {
    this.#closing = true;
    if (this.connection.isClosed()) return;
    if (this.#disconnectedSince === undefined) await this.#unlessLost(this.connection.drain());
    await this.connection.close();
  }

  /** Ends at once. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.connection.close();
  }

  /** Waits for a round trip, but not for ever: the server may go away under it. */
  async #unlessLost(roundTrip: Promise<void>): Promise<void> {
    const limit = new AbortController();
    const late = pause(ROUND_TRIP, undefined, { signal: limit.signal, ref: false }).catch(() => undefined);
    const done = roundTrip.catch((error: unknown) => {
      this.log.warn('the connection to NATS was lost while leaving', {
        error: error instanceof Error ? error.message : String(error),
      });
    });
    await Promise.race([done, late]);
    limit.abort();
  }

  #lookAtServer(): void {
    const { host, hostname } = new URL(`nats://${this.connection.getServer()}`);
    const version = this.connection.info?.version ?? '';
    if (this.#seen.has(`${host} ${version}`)) return;
    this.#seen.add(`${host} ${version}`);
    warnOfOldServer(hostname, version, this.log);
  }

  #lostSince(): Date | undefined {
    return this.#disconnectedSince;
  }

  async #watch(): Promise<void> {
    for await (const status of this.connection.status()) this.#noteStatus(status);
  }

  #noteStatus(status: Status): void {
    switch (status.type) {
      case 'disconnect':
        this.#disconnectedSince ??= new Date();
        if (!this.#closing) this.log.warn('lost the connection to NATS', { server: status.server });
        break;
      case 'reconnect':
        this.#disconnectedSince = undefined;
        this.log.info('connected to NATS again', { server: status.server });
        this.#lookAtServer();
        for (const wake of [...this.#waiting]) wake();
        for (const listener of this.#listeners) listener();
        break;
      case 'error':
        if (status.error instanceof PermissionViolationError) this.#replies.forbidden(status.error);
        this.log.error('NATS reports an error', { error: status.error.message });
        break;
      case 'slowConsumer':
        this.log.warn('messages come faster than they are handled', {
          pending: status.pending,
          subject: status.sub.getSubject(),
        });
        break;
      case 'ldm':
        this.log.info('the NATS server is going down for maintenance', { server: status.server });
        break;
      default:
        break; // pings, tries and cluster gossip: nothing to tell
    }
  }
}

function serversOf(url: string): string[] {
  const servers = url.split(',').map((server) => server.trim());
  for (const server of servers) {
    const parsed = URL.canParse(server) ? new URL(server) : undefined;
    if (parsed === undefined || !['nats:', 'tls:'].includes(parsed.protocol)) {
      throw new TerminalError(
        'messaging.bad-url',
        `a NATS URL is wrong: expected nats://host:port (or tls://), several separated by commas`,
      );
    }
    if (parsed.username !== '') {
      throw new TerminalError(
        'messaging.bad-url',
        `the NATS URL of ${parsed.host} holds credentials; give NATS_USER and NATS_PASSWORD instead`,
      );
    }
  }
  const encrypted = servers.filter((server) => server.startsWith('tls:')).length;
  if (encrypted !== 0 && encrypted !== servers.length) {
    throw new TerminalError('messaging.bad-url', 'some NATS URLs begin with tls:// and some do not: expected the same for all');
  }
  return servers;
}

/**
 * Connects to NATS, waiting for a server that is not up yet.
 * @throws TerminalError `messaging.bad-url`; `messaging.refused` when the server does not know the user or the password
 * @throws TransientError `messaging.unreachable` when nobody answered within the limit
 */
export async function connectNats(options: LinkOptions): Promise<NatsLink> {
  const servers = serversOf(options.url);
  const until = performance.now() + (options.within ?? Number.POSITIVE_INFINITY);
  for (let attempt = 1; ; attempt += 1) {
    options.signal?.throwIfAborted();
    try {
      const connection = await connect({
        servers,
        ...(servers.every((server) => server.startsWith('tls:')) ? { tls: { ...options.tls } } : {}),
        name: options.name,
        ...(options.user === undefined ? {} : { user: options.user }),
        ...(options.password === undefined ? {} : { pass: options.password.reveal() }),
        // For what the library asks by itself: JetStream's API.
        inboxPrefix: newInbox(options.user),
        maxReconnectAttempts: -1,
        reconnectTimeWait: RECONNECT_EVERY,
        reconnectJitter: RECONNECT_EVERY,
        // Passwords may change while we run; the operator's server knows the new one a moment later.
        ignoreAuthErrorAbort: true,
        pingInterval: PING_EVERY,
        maxPingOut: PINGS_UNANSWERED,
        timeout: 5_000,
        // Else each request makes two errors beforehand, whose traces lead no further than to this library's callers.
        noAsyncTraces: true,
      });
      return new NatsLink(connection, options.name, options.log, options.user);
    } catch (cause) {
      await failed(cause, attempt, until, options);
    }
  }
}

/** Decides over a failed first connection: gives up with an error, or pauses before the next try. */
async function failed(cause: unknown, attempt: number, until: number, { url, user, log, signal }: LinkOptions): Promise<void> {
  if (isRefusal(cause)) {
    throw new TerminalError(
      'messaging.refused',
      `NATS at ${url} refuses user ${user ?? '(none)'}: check NATS_USER and NATS_PASSWORD`,
      { cause },
    );
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (performance.now() >= until)
    throw new TransientError('messaging.unreachable', `NATS at ${url} can't be reached: ${reason}`, { cause });
  // Once at first and then about every five seconds.
  if (attempt % 10 === 1) log.warn('waiting for NATS', { url, reason });
  const wait = Math.min(RECONNECT_EVERY * (1 + Math.random()), Math.max(0, until - performance.now()));
  await pause(wait, undefined, signal === undefined ? {} : { signal });
}

const isRefusal = (error: unknown): boolean =>
  error instanceof AuthorizationError || (error instanceof Error && error.cause instanceof AuthorizationError);
