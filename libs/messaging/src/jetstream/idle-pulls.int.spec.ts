import { setTimeout as pause } from 'node:timers/promises';
import { millis, seconds } from '@windlass/foundation';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stepConsumer, subjects } from '../contracts/subjects.js';
import { wakeUpEvent } from '../contracts/wake-up.js';
import { eventually, NatsBench } from '../testing/harness.js';
import { PullConsumer } from './pull-consumer.js';
import { StreamPublisher } from './stream-publisher.js';
import { stepStream } from './streams.js';

const WORKERS = 64;
/** Six heartbeats in a pull. */
const PULL_FOR = millis(1_200);

const bench = new NatsBench();
beforeAll(() => bench.start());
afterAll(() => bench.close());

it('a service that is left alone has one pull, and its heartbeats, however many workers it has and had at work', async () => {
  const link = await bench.link('worker');
  await bench.reconciler(['svc']);
  let handled = 0;
  const spec = {
    stream: stepStream,
    durable: stepConsumer('svc'),
    subject: subjects.step('svc'),
    workers: WORKERS,
    pullFor: PULL_FOR,
  };
  // Workers become free one after another.
  const consumer = new PullConsumer(link, spec, () => pause((handled += 1) * 5), bench.log);
  consumer.start();
  await eventually('the consumer', () => consumer.ready);
  const publisher = new StreamPublisher(await bench.link('rings'), [stepStream], bench.log);
  for (let epoch = 0; epoch < WORKERS; epoch += 1)
    await publisher.publish(wakeUpEvent, subjects.step('svc'), { operationId: 'o', stepId: 's', epoch });
  await eventually('all to be handled', () => handled === WORKERS && consumer.busy === 0);
  // Pulls of the time of work end, and those that began at its very end.
  await pause(3 * PULL_FOR);
  const hears = await bench.link('hears');
  const heard: string[] = [];
  hears.connection.subscribe('>', { callback: (_, { subject }) => void heard.push(subject) });
  await hears.flushed();
  await pause(2 * PULL_FOR);
  // Two pulls are begun and ended, with six heartbeats each; the reconciler's looks are others'.
  const ours = heard.filter((subject) => /^_INBOX\..*\.\d+$|\.CONSUMER\.MSG\.NEXT\./.test(subject));
  expect(ours.length).toBeGreaterThan(8);
  expect(ours.length).toBeLessThan(3 * (6 + 2));
  await consumer.drain(seconds(1));
}, 30_000);
