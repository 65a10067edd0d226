import { TransientError, type Duration } from '@windlass/foundation';
import type { Response } from 'express';
import { setTimeout as after } from 'node:timers/promises';
import { eventText, type StreamEvent } from '../rendering/live-events.js';

/**
 * Writes to one client, no faster than the client reads: at most one event, and the socket's own buffers, wait for it. A client that reads nothing
 * for `patience` is disconnected, and may come again with its last id.
 */
export class EventWriter {
  constructor(
    private readonly response: Response,
    private readonly patience: Duration,
    private readonly signal: AbortSignal,
  ) {}

  /** `retry` is how long, in milliseconds, a client pauses before it comes again. */
  async begin(retry: Duration): Promise<void> {
    // No proxy may hold it back or keep it.
    this.response.status(200).set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    this.response.flushHeaders();
    await this.#write(`retry: ${retry}\n\n`);
  }

  send(event: StreamEvent): Promise<void> {
    return this.#write(eventText(event));
  }

  /** Keeps proxies from taking silence for the end of the stream, and finds clients that have left silently. */
  heartbeat(): Promise<void> {
    return this.#write(': still here\n\n');
  }

  async #write(text: string): Promise<void> {
    this.signal.throwIfAborted();
    if (this.response.write(text)) return;
    await this.#drained();
  }

  async #drained(): Promise<void> {
    const waiting = new AbortController();
    const signal = AbortSignal.any([waiting.signal, this.signal]);
    let drained: () => void = () => undefined;
    try {
      const drain = new Promise<void>((resolve) => this.response.once('drain', (drained = resolve)));
      const tooSlow = after(this.patience, undefined, { signal }).then(() => {
        throw new TransientError('events.too-slow', `the client took nothing in for ${this.patience} ms`);
      });
      await Promise.race([drain, tooSlow]);
    } finally {
      this.response.off('drain', drained);
      waiting.abort();
    }
  }
}
