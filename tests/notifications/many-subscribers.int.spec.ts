import { randomUUID } from 'node:crypto';
import { hours, millis, seconds, waitUntil } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scalingPackage } from '../support/scaling-package.js';
import { createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { NOTIFYING, subscribe } from './support/notifying.js';
import { Subscriber } from './support/subscriber.js';

const SUBSCRIBERS = 24;
const CHANGES = 5;
const vnfdId = randomUUID();
let system: System;
let subscriber: Subscriber;

beforeAll(async () => {
  // Nobody is helped by the next look: it is an hour away.
  const senders = { ...NOTIFYING.notifications?.senders, poll: hours(1), atOnce: 3 };
  system = await startSystem({ lcm: { ...NOTIFYING, notifications: { senders } } });
  await registerVim(system);
  await onboardZip(system.api, scalingPackage(vnfdId));
  subscriber = await Subscriber.start();
});
afterAll(async () => {
  await subscriber.goAway();
  await system.close();
});

/** One notification has the same id for each subscriber, so deliveries are counted. */
const told = (deliveries: number): Promise<true> =>
  waitUntil(
    (seen) => {
      seen(String(subscriber.taken.length));
      return Promise.resolve(subscriber.taken.length === deliveries ? true : undefined);
    },
    { for: `${deliveries} deliveries`, within: seconds(30), every: millis(20) },
  );

describe('more subscribers than are sent to at once', () => {
  it('hear of every change without waiting for the next look', async () => {
    for (let n = 0; n < SUBSCRIBERS; n += 1) await subscribe(system.api, { callbackUri: `${subscriber.url}/${n}` });
    for (let change = 1; change <= CHANGES; change += 1) {
      await createVnf(system.api, vnfdId);
      await told(change * SUBSCRIBERS);
    }
    expect(new Set(subscriber.requests.map(({ path }) => path)).size).toBe(SUBSCRIBERS);
  });
});
