import { minutes } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idOf, killHard, Rig } from '../hazards/support/rig.js';
import { subscribe } from './support/notifying.js';
import { Subscriber } from './support/subscriber.js';

let rig: Rig;

beforeAll(async () => {
  const environment = () => ({ OUTBOUND_ALLOW: '127.0.0.0/8', LCM_NOTIFICATIONS_WITHIN: '1s' });
  rig = await Rig.start({ lease: '2s', environment });
  await rig.addReplica('lcm-api');
});
afterAll(() => rig.close());

const plain = (operation: string): string[] => ['STARTING', 'PROCESSING', 'COMPLETED'].map((state) => `${operation} ${state}`);

describe('kill -9 of every lcm-api in the middle of a delivery', () => {
  it('loses no notification: each comes once or more, in order, exactly the states of a plain operation', async () => {
    // The first delivery of these is taken and never answered: whoever sent it, and whoever could take over at once, is dead.
    const killing = new Set([2, 6]);
    const subscriber = await Subscriber.start((attempt) => {
      if (!killing.has(attempt)) return 204;
      rig.all('lcm-api').forEach(killHard);
      return undefined;
    });
    await subscribe(rig.http, { callbackUri: subscriber.url });
    const back = () => Promise.all(rig.all('lcm-api').map((service) => rig.backAgain(service)));
    const vnf = await rig.createVnf();
    await rig.completed(await rig.instantiate(vnf));
    await subscriber.until(4, minutes(2));
    await back();
    await rig.completed(await rig.terminate(vnf));
    await subscriber.until(7, minutes(2));
    await back();
    await rig.api.delete(vnf);
    await subscriber.until(8, minutes(2));
    expect(subscriber.story(idOf(vnf))).toEqual(['created', ...plain('INSTANTIATE'), ...plain('TERMINATE'), 'deleted']);
    expect(subscriber.attempts).toBeGreaterThanOrEqual(10);
    expect(subscriber.faults).toEqual([]);
    expect(subscriber.heard[3]).toMatchObject({ affectedVnfcs: [{ changeType: 'ADDED' }], notificationStatus: 'RESULT' });
    expect(subscriber.heard[6]).toMatchObject({ affectedVnfcs: [{ changeType: 'REMOVED' }] });
    await subscriber.goAway();
  });
});
