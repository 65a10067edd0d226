import { millis, seconds, waitUntil } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wakeUpEvent } from '../contracts/wake-up.js';
import { dataOf, openEnvelope } from '../envelope/envelope.js';
import type { NatsLink } from '../link/nats-link.js';
import { stepConsumer, subjects } from '../contracts/subjects.js';
import { eventually, NatsBench } from '../testing/harness.js';
import { PullConsumer } from './pull-consumer.js';
import { StreamPublisher } from './stream-publisher.js';
import { managerOf, stepStream } from './streams.js';

const ROUNDS = 25;
const WAKE_UPS = 40;

describe('a consumer that stops', () => {
  const bench = new NatsBench();
  const links: NatsLink[] = [];
  beforeAll(async () => {
    await bench.start();
    for (const name of ['rings', 'stops', 'stays']) links.push(await bench.link(name));
  });
  afterAll(() => bench.close());

  it('loses no message that the server had sent but it had not yet seen: none waits for its redelivery', async () => {
    const [rings, stops, stays] = links as [NatsLink, NatsLink, NatsLink];
    const publisher = new StreamPublisher(rings, [stepStream], bench.log);
    await publisher.ensure();
    await bench.reconciler(['svc']);
    const heard = new Map<number, number>();
    // A message that got lost would come again only after 30 s, longer than this test lasts.
    const consumer = (link: NatsLink, workers: number) => {
      const spec = {
        stream: stepStream,
        durable: stepConsumer('svc'),
        subject: subjects.step('svc'),
        workers,
      };
      const made = new PullConsumer(
        link,
        spec,
        (message) => {
          const { epoch } = dataOf(openEnvelope(message.data), wakeUpEvent.name, wakeUpEvent.data);
          heard.set(epoch, (heard.get(epoch) ?? 0) + 1);
          return Promise.resolve();
        },
        bench.log,
      );
      made.start();
      return made;
    };
    const staying = consumer(stays, 1);
    for (let round = 0; round < ROUNDS; round += 1) {
      const stopping = consumer(stops, 16);
      await eventually('both to be ready', () => staying.ready && stopping.ready);
      const notified = Array.from({ length: WAKE_UPS }, (_, index) =>
        publisher.publish(wakeUpEvent, subjects.step('svc'), { operationId: 'o', stepId: 's', epoch: round * WAKE_UPS + index }),
      );
      await notified[round % WAKE_UPS];
      await stopping.drain(seconds(5));
      await Promise.all(notified);
    }
    const manager = await managerOf(rings.connection);
    await waitUntil(
      async (seen) => {
        const { state } = await manager.streams.info(stepStream.name);
        const consumer = await manager.consumers.info(stepStream.name, stepConsumer('svc'));
        const { num_pending: waiting, num_ack_pending: unsettled, num_redelivered: again, num_waiting: pulls } = consumer;
        const unheard = Array.from({ length: ROUNDS * WAKE_UPS }, (_, epoch) => epoch).filter((epoch) => !heard.has(epoch));
        seen(JSON.stringify({ left: state.messages, first: state.first_seq, waiting, unsettled, again, pulls, unheard }));
        return state.messages === 0 ? true : undefined;
      },
      { for: 'an empty stream', within: seconds(20), every: millis(50) },
    );
    expect(heard.size).toBe(ROUNDS * WAKE_UPS);
    expect(Math.max(...heard.values())).toBe(1);
    await staying.drain(seconds(1));
  }, 55_000);
});
