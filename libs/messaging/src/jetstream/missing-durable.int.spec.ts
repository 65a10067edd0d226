import { millis, seconds, TransientError } from '@windlass/foundation';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { wakeUpEvent } from '../contracts/wake-up.js';
import type { NatsLink } from '../link/nats-link.js';
import { stepConsumer, subjects } from '../contracts/subjects.js';
import { eventually, NatsBench } from '../testing/harness.js';
import { ensureDurable, isStuck, stepDurable } from './durables.js';
import { PullConsumer } from './pull-consumer.js';
import { StreamPublisher } from './stream-publisher.js';
import { managerOf, stepStream } from './streams.js';

describe('the durable of a service', () => {
  const bench = new NatsBench();
  const consumers: PullConsumer[] = [];
  let link: NatsLink;

  function consume(service: string): { consumer: PullConsumer; heard: string[] } {
    const heard: string[] = [];
    const spec = { stream: stepStream, durable: stepConsumer(service), subject: subjects.step(service), workers: 4 };
    const hear = (message: { subject: string }) => Promise.resolve(void heard.push(message.subject));
    const consumer = new PullConsumer(link, spec, hear, bench.log);
    consumer.start();
    consumers.push(consumer);
    return { consumer, heard };
  }
  const linesAbout = (text: string, service: string) =>
    bench.log.lines.filter(({ message, fields }) => message === text && fields.consumer === stepConsumer(service));

  beforeAll(async () => {
    await bench.start();
    link = await bench.link('worker');
  });
  afterEach(async () => {
    await Promise.all(consumers.splice(0).map((consumer) => consumer.drain(seconds(1))));
  });
  afterAll(() => bench.close());

  it('is waited for with one line, whether the stream or only the durable is missing, and used soon after it is made', async () => {
    const { consumer, heard } = consume('late');
    await eventually('a look', () => linesAbout('waiting for a consumer', 'late').length > 0);
    const reconciler = await bench.reconciler([], { every: seconds(60) });
    const manager = await managerOf(link.connection);
    const isThere = async (service: string) =>
      (await manager.consumers.info(stepStream.name, stepConsumer(service)).catch(() => undefined)) !== undefined;
    await eventually('the coordinators’ own', () => isThere('saga-coordinator'));
    await link.flushed();
    expect(consumer.ready).toBe(false);
    reconciler.keep('late');
    await eventually('the consumer', () => isThere('late'));
    // Ten times the longest pause between two looks.
    await eventually('the worker to be ready', () => consumer.ready, seconds(5));
    expect(linesAbout('waiting for a consumer', 'late')).toHaveLength(1);
    expect(linesAbout('a consumer is there now', 'late')).toHaveLength(1);
    await new StreamPublisher(link, [], bench.log).publish(wakeUpEvent, subjects.step('late'), {
      operationId: 'o',
      stepId: 's',
      epoch: 1,
    });
    await eventually('the wake-up', () => heard.length === 1);
    await reconciler.stop();
  });

  it('is made and repaired by several coordinators side by side, once', async () => {
    const keepers = await Promise.all([1, 2, 3].map(() => bench.reconciler(['shared'], { every: seconds(60) })));
    const { consumer } = consume('shared');
    await eventually('the consumer', () => consumer.ready);
    const manager = await managerOf(link.connection);
    const made = async () => (await manager.consumers.info(stepStream.name, stepConsumer('shared'))).created;
    const times = [await made()];
    for (let round = 1; round <= 3; round += 1) {
      const losses = linesAbout('looking after a consumer', 'shared').length;
      await manager.streams.delete(stepStream.name);
      // Both stay: not ready it may be for less time than lies between two of our looks.
      await eventually('the loss', () => linesAbout('looking after a consumer', 'shared').length > losses);
      await eventually('the consumer to be back', () => consumer.ready);
      times.push(await made());
    }
    expect(new Set(times).size).toBe(4);
    expect(bench.log.of('error')).toEqual([]);
    await Promise.all(keepers.map((reconciler) => reconciler.stop()));
    // Each keeper's look at the last loss is over by now, and made none in its place.
    expect(await made()).toBe(times.at(-1));
    const durables = await manager.consumers.list(stepStream.name).next();
    expect(durables.map(({ name }) => name).sort()).toEqual([stepConsumer('saga-coordinator'), stepConsumer('shared')].sort());
  });

  it('is kept while the list of services can’t be asked for, and one that can’t be made harms no other', async () => {
    let away = true;
    const services = () =>
      away ? Promise.reject(new TransientError('db.away', 'PostgreSQL is away')) : Promise.resolve(['no name', 'fine']);
    const reconciler = await bench.reconciler([], { services, every: millis(100) });
    reconciler.keep('told');
    const told = consume('told');
    await eventually('the one that was told of', () => told.consumer.ready);
    away = false;
    const fine = consume('fine');
    await eventually('the other', () => fine.consumer.ready);
    await reconciler.stop();
  });

  it('follows a new release in its settings', async () => {
    const manager = await managerOf(link.connection);
    await ensureDurable(manager, { ...stepDurable('changed'), ackWait: seconds(7) });
    const reconciler = await bench.reconciler(['changed']);
    const ackWait = async () => (await manager.consumers.info(stepStream.name, stepConsumer('changed'))).config.ack_wait;
    await eventually('the new setting', async () => (await ackWait()) === 30_000_000_000);
    const changes = () => linesAbout('changed a consumer', 'changed').length;
    await eventually('its line', () => changes() === 1);
    await reconciler.stop();
    await (await bench.reconciler(['changed'])).stop();
    expect(changes()).toBe(1);
  });

  it('is not taken for stuck while all its room is used, or while it delivers', async () => {
    const manager = await managerOf(link.connection);
    await ensureDurable(manager, stepDurable('busy'));
    const info = await manager.consumers.info(stepStream.name, stepConsumer('busy'));
    const waiting = { ...info, num_pending: 5, num_waiting: 2 };
    expect(isStuck(waiting, waiting)).toBe(true);
    expect(isStuck(waiting, { ...waiting, delivered: { ...waiting.delivered, consumer_seq: 9 } })).toBe(false);
    expect(isStuck(waiting, { ...waiting, created: 'another time' })).toBe(false);
    expect(isStuck(waiting, { ...waiting, num_waiting: 0 })).toBe(false);
    expect(isStuck(waiting, { ...waiting, num_ack_pending: 1_024 })).toBe(false);
  });
});
