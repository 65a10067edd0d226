import axios, { type AxiosInstance } from 'axios';
import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOTIFYING, subscribe } from '../notifications/support/notifying.js';
import { Subscriber } from '../notifications/support/subscriber.js';
import { inState, instantiate } from '../observability/support/replicas.js';
import { onboard, registerVim, startSystem, type System } from '../support/system.js';

const AT = '/vnflcm/v2/subscriptions';

let system: System;
let v2: AxiosInstance;

beforeAll(async () => {
  system = await startSystem({ lcm: NOTIFYING });
  await registerVim(system);
  v2 = axios.create({ ...system.api.defaults, headers: { 'X-Auth-Token': 'test-token', Version: '2.0.0' } });
});
afterAll(() => system.close());

describe('a subscription of v2', () => {
  it('is told in v2’s words: results from PROCESSING on, and what was affected unless it wants it SHORT', async () => {
    const [full, short, old] = await Promise.all([Subscriber.start(), Subscriber.start(), Subscriber.start()]);
    const { vnfdId } = await onboard(system.api, 'simple-vm');
    expect(await subscribe(v2, { callbackUri: full.url }, AT)).toMatchObject({ verbosity: 'FULL' });
    expect(await subscribe(v2, { callbackUri: short.url, verbosity: 'SHORT' }, AT)).toMatchObject({ verbosity: 'SHORT' });
    await subscribe(system.api, { callbackUri: old.url });
    const { instance, operationId } = await instantiate(system.api, vnfdId);
    await inState(system.api, operationId, 'COMPLETED');
    await Promise.all([full, short, old].map((each) => each.until(4)));
    const story = ['created', 'INSTANTIATE STARTING', 'INSTANTIATE PROCESSING', 'INSTANTIATE COMPLETED'];
    for (const each of [full, short, old]) expect(each.story(instance)).toEqual(story);
    const statuses = ({ heard }: Subscriber) => heard.slice(1).map(({ notificationStatus }) => notificationStatus);
    expect([full, short, old].map(statuses)).toEqual([
      ['START', 'RESULT', 'RESULT'],
      ['START', 'RESULT', 'RESULT'],
      ['START', 'START', 'RESULT'],
    ]);
    expect(full.heard[3]).toMatchObject({ verbosity: 'FULL', affectedVnfcs: [{ changeType: 'ADDED' }] });
    expect(short.heard[3]).toMatchObject({ verbosity: 'SHORT' });
    expect(short.heard[3]).not.toHaveProperty('affectedVnfcs');
    expect(old.heard[3]).not.toHaveProperty('verbosity');
    expect(JSON.stringify(full.heard[3]?._links)).toContain(`/vnflcm/v2/vnf_instances/${instance}`);
    await Promise.all([full, short, old].map((each) => each.goAway()));
  });

  it('is shown, listed and ended in v2 alone', async () => {
    const subscriber = await Subscriber.start();
    const made = await subscribe(v2, { callbackUri: subscriber.url }, AT);
    const at = `${AT}/${String(made.id)}`;
    expect((await v2.get<JsonObject>(at)).data).toEqual(made);
    expect((await v2.get<JsonObject[]>(AT)).data).toContainEqual(made);
    expect((await system.api.get<JsonObject[]>('/vnflcm/v1/subscriptions')).data.map(({ id }) => id)).not.toContain(made.id);
    expect((await system.api.get(at.replace('v2', 'v1'))).status).toBe(404);
    expect([(await v2.delete(at)).status, (await v2.get(at)).status]).toEqual([204, 404]);
    await subscriber.goAway();
  });

  it('is 422 where its callback does not answer, 400 for a way to authenticate that would send nothing', async () => {
    const subscriber = await Subscriber.start();
    await subscriber.goAway();
    expect((await v2.post<JsonObject>(AT, { callbackUri: subscriber.url })).status).toBe(422);
    const authentication = { authType: ['OAUTH2_CLIENT_CERT'], paramsOauth2ClientCert: { clientId: 'c' } };
    const refused = await v2.post<JsonObject>(AT, { callbackUri: subscriber.url, authentication });
    expect([refused.status, JSON.stringify(refused.data)]).toEqual([400, expect.stringContaining('/authentication/authType/0')]);
  });
});
