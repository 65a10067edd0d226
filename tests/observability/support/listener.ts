import { get, type IncomingMessage } from 'node:http';
import { seconds, waitUntil, type JsonObject } from '@windlass/foundation';

/** An event that a client heard. */
export interface Heard {
  event: string;
  id: string | undefined;
  data: JsonObject;
}

/** A client of an event stream that keeps all events. */
export class Listener {
  readonly heard: Heard[] = [];
  text = '';
  ended = false;

  private constructor(
    readonly status: number,
    private readonly answer: IncomingMessage,
  ) {
    answer.setEncoding('utf8');
    answer.on('data', (piece: string) => this.#take(piece));
    answer.on('end', () => (this.ended = true));
    answer.on('error', () => (this.ended = true));
    answer.on('close', () => (this.ended = true));
  }

  static open(url: string, token: string, lastEventId?: string): Promise<Listener> {
    const headers = { 'X-Auth-Token': token, ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }) };
    return new Promise((resolve, reject) => {
      get(url, { headers, agent: false }, (answer) => resolve(new Listener(answer.statusCode ?? 0, answer))).on('error', reject);
    });
  }

  get lastId(): string | undefined {
    return this.heard.findLast(({ id }) => id !== undefined)?.id;
  }

  /** The last event of each step. */
  get steps(): Map<unknown, JsonObject> {
    return new Map(this.heard.filter(({ event }) => event === 'step').map(({ data }) => [data.id, data]));
  }

  states(): unknown[] {
    return this.heard.filter(({ event }) => event === 'operation').map(({ data }) => data.operationState);
  }

  /** Reads nothing any more, and keeps the connection open. */
  stall(): void {
    this.answer.pause();
  }

  close(): void {
    this.answer.destroy();
  }

  until(what: string, condition: () => boolean): Promise<boolean> {
    return waitUntil(
      (seen) => {
        seen(this.text.slice(-2_000));
        return Promise.resolve(condition() ? true : undefined);
      },
      { for: what, within: seconds(90), every: seconds(0.02) },
    );
  }

  has(event: string): Promise<boolean> {
    return this.until(`an event ${event}`, () => this.heard.some((heard) => heard.event === event));
  }

  #rest = '';
  #take(piece: string): void {
    this.text += piece;
    const blocks = (this.#rest + piece).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string): string | undefined =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      const event = field('event');
      if (event !== undefined) this.heard.push({ event, id: field('id'), data: JSON.parse(field('data') ?? '{}') as JsonObject });
    }
  }
}
