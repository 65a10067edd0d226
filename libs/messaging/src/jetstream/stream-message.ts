import type { Msg } from '@nats-io/transport-node';
import type { Duration } from '@windlass/foundation';

/** One delivery of a message from a stream. It is settled once: by ack, nak or term; further ones do nothing. */
export class StreamMessage {
  #settled = false;

  /** @internal */
  constructor(private readonly message: Msg) {}

  get subject(): string {
    return this.message.subject;
  }

  get data(): Uint8Array {
    return this.message.data;
  }

  /** How often it has been delivered, this time included. */
  get deliveries(): number {
    return deliveriesIn(this.message.reply ?? '');
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** It is dealt with: the stream forgets it. */
  ack(): void {
    this.#settle('+ACK');
  }

  /** It is to be delivered again, to any replica, after the delay. */
  nak(delay: Duration): void {
    this.#settle(delay > 0 ? `-NAK {"delay":${Math.round(delay * 1_000_000)}}` : '-NAK');
  }

  /** It is never to be delivered again. */
  term(): void {
    this.#settle('+TERM');
  }

  /** It is being worked on: the time until its redelivery starts anew. */
  working(): void {
    if (!this.#settled) this.message.respond('+WPI');
  }

  #settle(answer: string): void {
    if (this.#settled) return;
    this.#settled = true;
    this.message.respond(answer);
  }
}

/**
 * The delivery count in an acknowledgement subject (nats-server ADR-15):
 * `$JS.ACK.<stream>.<consumer>.<deliveries>.…` or `$JS.ACK.<domain>.<account>.<stream>.<consumer>.<deliveries>.…` with 11 or more tokens.
 */
function deliveriesIn(reply: string): number {
  const tokens = reply.split('.');
  const count = Number(tokens.length >= 11 ? tokens[6] : tokens[4]);
  return Number.isInteger(count) && count > 0 ? count : 1;
}
