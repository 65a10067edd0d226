import { millis, seconds } from '@windlass/foundation';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wakeUpEvent } from '../contracts/wake-up.js';
import { dataOf, openEnvelope } from '../envelope/envelope.js';
import type { NatsLink } from '../link/nats-link.js';
import { stepConsumer, subjects } from '../contracts/subjects.js';
import { eventually, NatsBench } from '../testing/harness.js';
import { PullConsumer, type ConsumerSpec } from './pull-consumer.js';
import { StreamPublisher } from './stream-publisher.js';
import { eventStream, managerOf, stepStream } from './streams.js';

const spec: ConsumerSpec = { stream: stepStream, durable: stepConsumer('svc'), subject: subjects.step('svc'), workers: 4 };

describe('a stream that the server has forgotten', () => {
  let bench: NatsBench;
  let link: NatsLink;
  let publisher: StreamPublisher;
  let consumer: PullConsumer;
  let heard: number[];

  const notify = (epoch: number): Promise<void> =>
    publisher.publish(wakeUpEvent, subjects.step('svc'), { operationId: 'o', stepId: 's', epoch });

  async function consume(on: NatsLink, options: Partial<ConsumerSpec> = {}): Promise<PullConsumer> {
    const made = new PullConsumer(
      on,
      { ...spec, ...options },
      (message) => {
        heard.push(dataOf(openEnvelope(message.data), wakeUpEvent.name, wakeUpEvent.data).epoch);
        return Promise.resolve();
      },
      bench.log,
    );
    made.start();
    await eventually('the consumer to be ready', () => made.ready);
    return made;
  }

  beforeEach(async () => {
    bench = new NatsBench();
    heard = [];
    await bench.start();
    link = await bench.link();
    publisher = new StreamPublisher(link, [stepStream, eventStream], bench.log);
    // It looks when the server or the connection tells it to, and not otherwise.
    await bench.reconciler(['svc'], { every: seconds(60) });
    consumer = await consume(await bench.link('worker'));
    await notify(1);
    await eventually('the first wake-up', () => heard.includes(1));
  });

  afterEach(async () => {
    await consumer.drain(seconds(1));
    await bench.close();
  });

  it('is made again by a coordinator when an administrator deletes it', async () => {
    const manager = await managerOf(link.connection);
    expect(await manager.streams.delete(stepStream.name)).toBe(true);
    await eventually('the stream to be back', async () => (await manager.streams.names().next()).includes(stepStream.name));
    await eventually('the consumer to be back', () => consumer.ready);
    await notify(2);
    await eventually('the second wake-up', () => heard.includes(2));
  });

  it('is made again by who publishes, before any consumer looks', async () => {
    await consumer.drain(seconds(1));
    const manager = await managerOf(link.connection);
    await manager.streams.delete(stepStream.name);
    await notify(2);
    expect((await manager.streams.info(stepStream.name)).state.messages).toBe(1);
    consumer = await consume(link);
    await eventually('the second wake-up', () => heard.includes(2));
  });

  it('is made again when only its consumer was deleted', async () => {
    const manager = await managerOf(link.connection);
    // nats-server 2.9 may fail to remove the consumer's folder while it writes its state there; the consumer is gone all the same.
    await manager.consumers
      .delete(stepStream.name, spec.durable)
      .catch((error: unknown) => expect(String(error)).toMatch(/not empty/));
    await notify(2);
    await eventually('the second wake-up', () => heard.includes(2));
  });

  it('is made again after its files were removed while the server was down', async () => {
    await bench.server.kill();
    rmSync(join(bench.dataDir, 'server', 'jetstream'), { recursive: true });
    await bench.start();
    await eventually('the connections to be back', () => link.state.connected);
    await notify(2);
    await eventually('the second wake-up', () => heard.includes(2));
    expect(bench.log.of('info').filter((line) => line === 'made a stream').length).toBeGreaterThan(2);
  });

  it('is not lost by kill -9, and the wake-ups in it are heard afterwards', async () => {
    await consumer.drain(seconds(1));
    await notify(2);
    await bench.server.kill();
    await bench.start();
    consumer = await consume(link);
    await eventually('the second wake-up', () => heard.includes(2));
  });

  it('is heard again soon after a restart, and not only when the silence of the pulls is noticed', async () => {
    await bench.server.kill();
    await bench.start();
    const since = performance.now();
    await eventually('the connections to be back', () => link.state.connected);
    await notify(2);
    await eventually('the second wake-up', () => heard.includes(2));
    // That takes 12.5 s; a connection is back after half a second, and the consumer found after another.
    // eslint-disable-next-line no-restricted-syntax -- only the time tells one from the other
    expect(performance.now() - since).toBeLessThan(seconds(12));
  });

  it('is made anew by one of two coordinators when the server can’t read what is in it', async () => {
    await consumer.drain(seconds(1));
    await notify(2);
    await bench.server.stop();
    await bench.start();
    await eventually('the connection to be back', () => link.state.connected);
    rmSync(join(bench.dataDir, 'server/jetstream/$G/streams', stepStream.name, 'msgs/1.blk'));
    for (let count = 0; count < 2; count += 1) await bench.reconciler(['svc'], { every: millis(200) });
    consumer = await consume(link);
    await eventually(
      'the stream to be made anew',
      () => bench.log.of('info').filter((line) => line === 'made a stream').length > 2,
    );
    expect(heard).not.toContain(2);
    await eventually('the consumer to be back', () => consumer.ready);
    await notify(3);
    await eventually('the third wake-up', () => heard.includes(3));
  });

  it('is changed where it differs from what we want, and left alone otherwise', async () => {
    const manager = await managerOf(link.connection);
    await manager.streams.update(stepStream.name, { max_age: 700_000_000_000, description: 'the operator’s own words' });
    await publisher.ensure();
    const { config } = await manager.streams.info(stepStream.name);
    expect(config.max_age).toBe(stepStream.maxAge * 1_000_000);
    expect(config.description).toBe('the operator’s own words');
    const changes = () => bench.log.of('info').filter((line) => line === 'changed a stream').length;
    expect(changes()).toBe(1);
    await publisher.ensure();
    expect(changes()).toBe(1);
  });

  it('drops a second message with the same id', async () => {
    const data = { operationId: 'o', stepId: 's', epoch: 9 };
    await publisher.publish(wakeUpEvent, subjects.step('svc'), data, { id: 'once' });
    await publisher.publish(wakeUpEvent, subjects.step('svc'), data, { id: 'once' });
    await notify(10);
    await eventually('the last wake-up', () => heard.includes(10));
    expect(heard.filter((epoch) => epoch === 9)).toHaveLength(1);
  });

  it('says when a message was not taken', async () => {
    await bench.server.kill();
    const failed = publisher.publish(
      wakeUpEvent,
      subjects.step('svc'),
      { operationId: 'o', stepId: 's', epoch: 1 },
      { within: millis(100) },
    );
    await expect(failed).rejects.toMatchObject({ code: 'messaging.not-published' });
    await bench.start();
  });
});
