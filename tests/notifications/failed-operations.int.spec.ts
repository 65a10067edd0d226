import { randomUUID } from 'node:crypto';
import axios from 'axios';
import { minutes, seconds, waitUntil, millis, type JsonObject } from '@windlass/foundation';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { NOTIFYING, subscribe } from './support/notifying.js';
import { Subscriber } from './support/subscriber.js';

const vnfdId = randomUUID();
const BEGUN = ['created', 'INSTANTIATE STARTING', 'INSTANTIATE PROCESSING'];
const FAILED = [...BEGUN, 'INSTANTIATE FAILED_TEMP'];

let system: System;
/** One of each version of the API. */
let subscribers: { v1: Subscriber; v2: Subscriber };
let vnf: string;

beforeAll(async () => {
  // A worker hears of a cancel when it renews: every two seconds.
  system = await startSystem({ lcm: NOTIFYING, policy: { lease: seconds(6) } });
  await registerVim(system);
  await onboardZip(system.api, scalingPackage(vnfdId));
  subscribers = { v1: await Subscriber.start(), v2: await Subscriber.start() };
  await subscribe(system.api, { callbackUri: subscribers.v1.url });
  const v2 = axios.create({ ...system.api.defaults, headers: { 'X-Auth-Token': 'test-token', Version: '2.0.0' } });
  await subscribe(v2, { callbackUri: subscribers.v2.url }, '/vnflcm/v2/subscriptions');
});
beforeEach(async () => {
  vnf = await createVnf(system.api, vnfdId);
});
afterEach(() => system.emulator.faults.clear());
afterAll(async () => {
  await Promise.all(Object.values(subscribers).map((each) => each.goAway()));
  await system.close();
});

const idOf = (path: string): string => path.split('/').at(-1) ?? '';
const instantiate = () => system.api.post<JsonObject>(`${vnf}/instantiate`, scalingRequest('net0'));
type Accepted = Awaited<ReturnType<typeof instantiate>>;

async function failed(): Promise<Accepted> {
  const stackName = `vnf-${idOf(vnf)}`;
  system.emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', stackName, reason: 'none', times: 1 });
  const accepted = await instantiate();
  expect(await atRest(system.api, accepted, minutes(1))).toMatchObject({ operationState: 'FAILED_TEMP' });
  return accepted;
}

const pathOf = ({ headers }: Accepted): string => new URL(String(headers.location)).pathname;
const task = async (accepted: Accepted, name: string, body: JsonObject = {}): Promise<void> => {
  const { status, data } = await system.api.post<JsonObject>(`${pathOf(accepted)}/${name}`, body);
  expect([200, 202], JSON.stringify(data)).toContain(status);
};

/** Both heard exactly this of the instance, in this order, and what had failed with its error. */
async function told(...story: string[]): Promise<void> {
  const { v1, v2 } = subscribers;
  for (const each of [v1, v2])
    await waitUntil(
      (seen) => {
        seen(each.story(idOf(vnf)).join(', '));
        return Promise.resolve(each.story(idOf(vnf)).length >= story.length || undefined);
      },
      { for: `the story ${story.join(', ')}`, within: minutes(1), every: millis(20) },
    );
  for (const each of [v1, v2]) expect(each.story(idOf(vnf))).toEqual(story);
  expect(v1.faults).toEqual([]);
  for (const each of [v1, v2])
    for (const notification of each.heard.filter(({ vnfInstanceId }) => vnfInstanceId === idOf(vnf))) {
      const { operationState } = notification;
      const hasError = ['FAILED_TEMP', 'FAILED', 'ROLLED_BACK'].includes(String(operationState));
      expect([operationState, 'error' in notification]).toEqual([operationState, hasError]);
    }
}

describe('a subscriber is told, in order and once each state', () => {
  it('of a retry', async () => {
    const accepted = await failed();
    await task(accepted, 'retry');
    expect(await atRest(system.api, accepted)).toMatchObject({ operationState: 'COMPLETED' });
    await told(...FAILED, 'INSTANTIATE PROCESSING', 'INSTANTIATE COMPLETED');
  });

  it('of a roll-back', async () => {
    const accepted = await failed();
    await task(accepted, 'rollback');
    expect(await atRest(system.api, accepted)).toMatchObject({ operationState: 'ROLLED_BACK' });
    await told(...FAILED, 'INSTANTIATE ROLLING_BACK', 'INSTANTIATE ROLLED_BACK');
  });

  it('of a failure that a person accepts', async () => {
    const accepted = await failed();
    await task(accepted, 'fail');
    await told(...FAILED, 'INSTANTIATE FAILED');
  });

  it.each(['GRACEFUL', 'FORCEFUL'])('of a %s cancel, and the roll-back after it', async (cancelMode) => {
    const delayMs = cancelMode === 'FORCEFUL' ? minutes(10) : seconds(3);
    system.emulator.faults.add({ kind: 'slow-stack', delayMs, stackName: `vnf-${idOf(vnf)}`, times: 1 });
    const accepted = await instantiate();
    await waitUntil(
      async () => ((await system.api.get<JsonObject>(pathOf(accepted))).data.operationState === 'PROCESSING' ? true : undefined),
      { for: 'PROCESSING', within: minutes(1), every: millis(20) },
    );
    await task(accepted, 'cancel', { cancelMode });
    expect(await atRest(system.api, accepted, minutes(1))).toMatchObject({ operationState: 'FAILED_TEMP' });
    await task(accepted, 'rollback');
    expect(await atRest(system.api, accepted, minutes(1))).toMatchObject({ operationState: 'ROLLED_BACK' });
    await told(...FAILED, 'INSTANTIATE ROLLING_BACK', 'INSTANTIATE ROLLED_BACK');
  });
});
