import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Subscriber } from '../notifications/support/subscriber.js';
import type { OpenStackClient } from './support/client.js';
import { createdVnf, onboarded, startClientRig, type ClientRig } from './support/rig.js';

let rig: ClientRig;
let vnfdId: string;
let subscriber: Subscriber;
beforeAll(async () => {
  rig = await startClientRig();
  ({ vnfdId } = await onboarded(rig.client));
  subscriber = await Subscriber.start();
});
afterAll(async () => {
  await subscriber.goAway();
  await rig.close();
});

describe.each([{ version: '1' }, { version: '2' }])('openstack vnflcm subsc, version $version of the API', ({ version }) => {
  const client = (): OpenStackClient => rig.client.in({ OS_TACKER_API_VERSION: version });

  it('subscribes, is told, lists, shows and unsubscribes, and shows no credentials', async () => {
    const callbackUri = `${subscriber.url}/${randomUUID()}`;
    const password = randomUUID();
    const filter = { notificationTypes: ['VnfIdentifierCreationNotification'] };
    const authentication = { authType: ['BASIC'], paramsBasic: { userName: 'me', password } };
    const file = await client().file('subscription.json', { callbackUri, filter, authentication });
    const made = await client().show('vnflcm', 'subsc', 'create', file);
    const id = String(made.ID);
    expect(made).toMatchObject({
      'Callback URI': callbackUri,
      Filter: filter,
      Links: { self: { href: expect.stringContaining(`/vnflcm/v${version}/subscriptions/${id}`) as string } },
    });
    const of = async (condition: string) => client().list('vnflcm', 'subsc', 'list', '--filter', condition);
    expect(await client().list('vnflcm', 'subsc', 'list')).toEqual([{ ID: id, 'Callback URI': callbackUri }]);
    expect(await of(`(eq,id,${id})`)).toEqual([{ ID: id, 'Callback URI': callbackUri }]);
    expect(await of(`(neq,id,${id})`)).toEqual([]);
    expect(await client().show('vnflcm', 'subsc', 'show', id)).toEqual(made);
    expect(JSON.stringify(made)).not.toContain(password);
    const vnf = await createdVnf(client(), vnfdId);
    await subscriber.until(Number(version));
    expect(subscriber.story(vnf)).toEqual(['created']);
    const login = `Basic ${Buffer.from(`me:${password}`).toString('base64')}`;
    expect(subscriber.requests.at(-1)?.headers.authorization).toBe(login);
    expect(await client().ok('vnflcm', 'subsc', 'delete', id)).toBe(`Lccn Subscription '${id}' is deleted successfully`);
    const gone = await client().run('vnflcm', 'subsc', 'show', id);
    expect([gone.status, gone.stderr]).toEqual([1, expect.stringContaining(id)]);
    await client().ok('vnflcm', 'delete', vnf);
  });

  it('is told why a callback is not taken', async () => {
    const file = await client().file('wrong.json', { callbackUri: 'http://169.254.169.254/latest' });
    const refused = await client().run('vnflcm', 'subsc', 'create', file);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('169.254.169.254')]);
    expect(await client().list('vnflcm', 'subsc', 'list')).toEqual([]);
  });
});
