import { millis, minutes, seconds } from '@windlass/foundation';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineEvent } from '../contracts/contract.js';
import { encode } from '../envelope/envelope.js';
import { StreamPublisher } from '../jetstream/stream-publisher.js';
import { eventStream, managerOf } from '../jetstream/streams.js';
import type { NatsLink } from '../link/nats-link.js';
import { subjects } from '../contracts/subjects.js';
import { eventually, NatsBench } from '../testing/harness.js';
import { OutboxRelay, type OutboxRow, type OutboxSource, type RelayOptions } from './outbox-relay.js';

const event = defineEvent<number>({ name: 'event.number', data: { type: 'number' } });

/** A table in memory: a batch is one transaction, and two relays never have the same row. */
class MemoryOutbox implements OutboxSource {
  readonly rows: (OutboxRow & { sent: boolean; locked: boolean })[] = [];
  looks = 0;
  /** The transaction fails after its rows were published: they stay unsent. */
  failCommits = 0;
  readonly #wakes = new Set<() => void>();

  insert(number: number): void {
    const message = encode(event.name, event.data, number);
    this.rows.push({ id: `row-${number}`, subject: subjects.event.operation('COMPLETED'), message, sent: false, locked: false });
  }

  wake(): void {
    for (const wake of this.#wakes) wake();
  }

  onWake(callback: () => void): () => void {
    this.#wakes.add(callback);
    return () => this.#wakes.delete(callback);
  }

  async takeBatch(limit: number, publish: (rows: readonly OutboxRow[]) => Promise<void>): Promise<number> {
    this.looks += 1;
    const batch = this.rows.filter(({ sent, locked }) => !sent && !locked).slice(0, limit);
    for (const row of batch) row.locked = true;
    try {
      if (batch.length > 0) await publish(batch);
      if (batch.length > 0 && this.failCommits > 0) {
        this.failCommits -= 1;
        throw new Error('the commit failed');
      }
      for (const row of batch) row.sent = true;
      return batch.length;
    } finally {
      for (const row of batch) row.locked = false;
    }
  }

  get unsent(): number {
    return this.rows.filter(({ sent }) => !sent).length;
  }
}

describe('the relay of an outbox', () => {
  const bench = new NatsBench();
  let link: NatsLink;
  let publisher: StreamPublisher;
  let outbox: MemoryOutbox;
  let relays: OutboxRelay[];

  const relay = (options: RelayOptions = {}): OutboxRelay => {
    const made = new OutboxRelay(outbox, publisher, bench.log, options);
    relays.push(made);
    made.start();
    return made;
  };
  const stored = async (): Promise<number> => {
    const manager = await managerOf(link.connection);
    return (await manager.streams.info(eventStream.name)).state.messages;
  };

  beforeAll(async () => {
    await bench.start();
    link = await bench.link();
    publisher = new StreamPublisher(link, [eventStream], bench.log);
    await publisher.ensure();
  });
  beforeEach(async () => {
    outbox = new MemoryOutbox();
    relays = [];
    const manager = await managerOf(link.connection);
    await manager.streams.delete(eventStream.name);
    await publisher.ensure();
  });
  afterEach(async () => {
    await Promise.all(relays.map((one) => one.stop()));
  });
  afterAll(() => bench.close());

  it('sends what was there before it started, in batches', async () => {
    for (let number = 0; number < 250; number += 1) outbox.insert(number);
    relay({ batch: 100 });
    await eventually('everything to be sent', () => outbox.unsent === 0);
    expect(await stored()).toBe(250);
  });

  it('sends as soon as it is woken, long before it would look', async () => {
    relay({ every: minutes(5) });
    await eventually('the first look', () => outbox.looks === 1);
    outbox.insert(1);
    outbox.wake();
    await eventually('the row to be sent', () => outbox.unsent === 0, seconds(1));
  });

  it('does not miss a wake that comes while it looks', async () => {
    relay({ every: minutes(5) });
    outbox.wake();
    outbox.insert(1);
    await eventually('the row to be sent', () => outbox.unsent === 0, seconds(1));
  });

  it('finds by itself what it was not woken for', async () => {
    relay({ every: millis(50) });
    await eventually('the first look', () => outbox.looks === 1);
    outbox.insert(1);
    await eventually('the row to be sent', () => outbox.unsent === 0, seconds(2));
  });

  it('has a row once in the stream though it was sent twice', async () => {
    outbox.failCommits = 2;
    for (const number of [1, 2, 3]) outbox.insert(number);
    relay({ every: millis(50) });
    await eventually('everything to be sent', () => outbox.unsent === 0);
    expect(await stored()).toBe(3);
    expect(bench.log.of('warn').filter((line) => line.startsWith('an outbox could not'))).toHaveLength(2);
  });

  it('shares the work with another relay', async () => {
    for (let number = 0; number < 500; number += 1) outbox.insert(number);
    relay({ batch: 10 });
    relay({ batch: 10 });
    await eventually('everything to be sent', () => outbox.unsent === 0);
    expect(await stored()).toBe(500);
  });

  it('keeps what it could not send while the server was away', async () => {
    relay({ every: millis(50) });
    await bench.server.kill();
    outbox.insert(1);
    outbox.wake();
    await eventually('a failed try', () => outbox.looks > 1);
    expect(outbox.unsent).toBe(1);
    await bench.start();
    await eventually('the row to be sent', () => outbox.unsent === 0, seconds(20));
    expect(await stored()).toBe(1);
  });

  it('makes the stream again when it was wiped', async () => {
    const manager = await managerOf(link.connection);
    await manager.streams.delete(eventStream.name);
    outbox.insert(1);
    relay();
    await eventually('the row to be sent', () => outbox.unsent === 0);
    expect(await stored()).toBe(1);
  });
});
