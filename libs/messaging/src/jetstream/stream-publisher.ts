import { jetstream, type JetStreamClient } from '@nats-io/jetstream';
import { NoRespondersError } from '@nats-io/transport-node';
import { seconds, TransientError, type Duration } from '@windlass/foundation';
import type { EventContract } from '../contracts/contract.js';
import { encode } from '../envelope/envelope.js';
import type { MessagingLog, NatsLink } from '../link/nats-link.js';
import { ensureStreams, type StreamSpec } from './streams.js';

export interface PublishOptions {
  /** A second message with this id within the stream's duplicate window is dropped. */
  id?: string;
  tenant?: string;
  /** How long to wait for the server's acknowledgement; 3 s by default. */
  within?: Duration;
}

/** Publishes into JetStream, each message acknowledged, and makes its streams again when the server has forgotten them. */
export class StreamPublisher {
  readonly #client: JetStreamClient;
  #remaking: Promise<void> | undefined;

  constructor(
    private readonly link: NatsLink,
    /** Those that this process makes. None but a coordinator may: elsewhere a message without a stream is not published. */
    private readonly streams: readonly StreamSpec[],
    private readonly log: MessagingLog,
    private readonly replicas = 1,
  ) {
    this.#client = jetstream(link.connection);
  }

  /** Makes the streams that are missing. Many at a time wait for one attempt. */
  async ensure(): Promise<void> {
    this.#remaking ??= ensureStreams(this.link, this.streams, this.log, this.replicas).finally(() => {
      this.#remaking = undefined;
    });
    await this.#remaking;
  }

  /**
   * Publishes one message.
   * @throws TransientError `messaging.not-published` when the server did not say that it has it; it may have it all the same
   */
  async publish<Data>(event: EventContract<Data>, subject: string, data: Data, options: PublishOptions = {}): Promise<void> {
    const bytes = encode(event.name, event.data, data, options);
    await this.publishBytes(subject, bytes, options);
  }

  /**
   * Publishes a message that is wrapped already, as an outbox keeps it.
   * @throws TransientError `messaging.not-published`
   */
  async publishBytes(subject: string, bytes: Uint8Array, { id, within = seconds(3) }: PublishOptions = {}): Promise<void> {
    const send = () => this.#client.publish(subject, bytes, { timeout: within, ...(id === undefined ? {} : { msgID: id }) });
    try {
      await this.link.connected(within);
      try {
        await send();
      } catch (error) {
        if (!nobodyListens(error) || this.streams.length === 0) throw error;
        await this.ensure();
        await send();
      }
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new TransientError('messaging.not-published', `a message to ${subject} was not acknowledged: ${reason}`, { cause });
    }
  }
}

/** No stream takes the subject: the library wraps "no responders" once or twice. */
function nobodyListens(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof NoRespondersError) return true;
  }
  return false;
}
