import { randomBytes } from 'node:crypto';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import {
  announceContract,
  CoreKeys,
  dataOf,
  encode,
  KeyPair,
  openEnvelope,
  ProofKeys,
  proofOfAnnouncement,
  RequestClient,
  type AnnounceMessage,
  type DriverService,
} from '@windlass/messaging';
import type { DriverDescription } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describes, DriverBench, planBy } from './support/bench.js';

const DRIVER = 'mgmt-drivers-honest';
let bench: DriverBench;
let keys: KeyPair;
/** On the list for another service. */
let foreign: KeyPair;
let client: RequestClient;
/** Announcements with a proof, as they went over NATS. */
const heard: AnnounceMessage[] = [];
let first: AnnounceMessage;

beforeAll(async () => {
  bench = await DriverBench.start();
  [keys, foreign] = [await bench.enrolledKey(DRIVER), await bench.enrolledKey('storage-mgmt')];
  const spy = await bench.linkOf('spy');
  client = new RequestClient(spy);
  spy.connection.subscribe(announceContract.subject, {
    callback: (_error, { data }) => {
      const message = dataOf(openEnvelope(data), 'mgmt.announce.request', announceContract.request);
      if (message.mac !== undefined) heard.push(message);
    },
  });
  await spy.flushed();
  await bench.hearAnnouncements();
  await announced(describes(DRIVER), keys);
  first = heard.at(-1)!;
});
afterAll(() => bench.close());

/** Starts a driver as its service does, and waits until it is kept. */
async function announced(description: DriverDescription, own: KeyPair): Promise<DriverService> {
  const answers = { describe: () => description, validate: () => Promise.reject(new Error()), plan: () => planBy(DRIVER) };
  const service = await bench.serve(answers, own);
  await isKept(service);
  return service;
}

const isKept = (service: DriverService): Promise<true> =>
  waitUntil(() => Promise.resolve(service.kept || undefined), {
    for: 'the driver to be kept',
    within: seconds(20),
    every: millis(20),
  });

const coreX = (): string => new CoreKeys(bench.masterKeys).publicX;

/** An announcement with a proof by a key, of whatever it says it is. */
function proven(description: object, own: KeyPair, number: number, more: Partial<AnnounceMessage> = {}): AnnounceMessage {
  const body = JSON.stringify(description);
  const mac = proofOfAnnouncement(new ProofKeys('driver').of(own, coreX()), { number, body });
  const { driver, service } = description as DriverDescription;
  return { v: 2, driver, service, keyId: own.public.id, coreKey: coreX(), number, body, mac, ...more };
}

const announce = (message: AnnounceMessage) => client.request(announceContract, message);
const next = async (): Promise<number> => ((await bench.drivers.kept(DRIVER))?.number ?? 0) + 1;
const evil = describes(DRIVER, { version: '6.6.6' });

describe('the description of a driver', () => {
  it('is kept with the key that proved it', async () => {
    expect(await bench.drivers.record(DRIVER)).toMatchObject({ description: describes(DRIVER), announcedBy: keys.public.id });
  });

  it.each<[string, string, () => Promise<AnnounceMessage>]>([
    [
      'another service',
      'driver.of-another-service',
      async () => proven({ ...evil, service: 'storage-mgmt' }, foreign, await next()),
    ],
    ['another service that says it is the driver’s', 'driver.key-not-enrolled', async () => proven(evil, foreign, await next())],
    ['a key that nobody enrolled', 'driver.key-not-enrolled', async () => proven(evil, KeyPair.generate(), await next())],
    [
      'another in the name of its key',
      'driver.not-proven',
      async () => proven(evil, foreign, await next(), { keyId: keys.public.id }),
    ],
    [
      'another that changed what the driver proved',
      'driver.not-proven',
      async () => {
        const genuine = proven(describes(DRIVER), keys, await next());
        return { ...genuine, body: JSON.stringify(evil) };
      },
    ],
    [
      'its own service in the name of another driver',
      'driver.not-proven',
      async () => proven(describes('other', { service: DRIVER }), keys, await next(), { driver: DRIVER }),
    ],
    [
      'a driver of version 1',
      'driver.contract-version-1',
      () => {
        const { contract: _, ...old } = evil;
        return Promise.resolve(old as never);
      },
    ],
    [
      'a driver whose description is of version 1',
      'driver.contract-version-1',
      async () => {
        const { contract: _, ...old } = evil;
        return proven(old, keys, await next());
      },
    ],
  ])('is not changed by %s', async (_, code, message) => {
    await expect(announce(await message())).rejects.toMatchObject({ code });
    expect((await bench.drivers.record(DRIVER))?.description).toEqual(describes(DRIVER));
    const line = bench.log.lines.findLast(({ message: text }) => text === 'the announcement of a driver was refused');
    expect(line?.fields).toMatchObject({ code });
    if (code === 'driver.contract-version-1') expect(line?.fields.detail).toContain('docs/contracts/mgmt-driver.md');
  });

  it('is not changed by a revoked key', async () => {
    const lost = await bench.enrolledKey(DRIVER);
    await bench.enrolments.revokeKey(lost.public.id);
    await expect(announce(proven(evil, lost, await next()))).rejects.toMatchObject({ code: 'driver.key-not-enrolled' });
    expect((await bench.drivers.record(DRIVER))?.description).toEqual(describes(DRIVER));
  });

  it('is not brought back by an announcement of before, sent again', async () => {
    await announced(describes(DRIVER, { version: '2.0.0' }), keys);
    const kept = heard.findLast(({ driver }) => driver === DRIVER)!;
    for (const old of [first, kept]) expect(await announce(old)).toMatchObject({ kept: false });
    expect((await bench.drivers.find(DRIVER))?.version).toBe('2.0.0');
  });

  it('is kept for two replicas that start at once', async () => {
    const description = describes('mgmt-drivers-twins');
    const own = [await bench.enrolledKey(description.service), await bench.enrolledKey(description.service)];
    await Promise.all(own.map((each) => announced(description, each)));
    expect(await bench.drivers.kept(description.driver)).toEqual({ service: description.service, number: 2 });
  });

  it('is kept once under each number, whoever else comes at the same moment', async () => {
    const description = describes('mgmt-drivers-race');
    for (const number of [1, 2]) {
      const kept = await Promise.all(['a', 'b', 'c'].map((keyId) => bench.drivers.keep(description, { keyId, number })));
      expect(kept.filter(Boolean)).toHaveLength(1);
    }
    const moved = { ...description, service: 'storage-mgmt' };
    expect(await bench.drivers.keep(moved, { keyId: 'd', number: 3 })).toBe(false);
    expect(await bench.drivers.keep(describes('mgmt-drivers-new'), { keyId: 'd', number: 2 })).toBe(false);
  });

  it('is proven again towards another master key', async () => {
    const rotated = await DriverBench.start();
    try {
      const own = await rotated.enrolledKey(DRIVER);
      const master = randomBytes(32);
      // What a driver made for the old master key alone is of no use to an lcm-api that has forgotten it.
      await rotated.hearAnnouncements([master]);
      const answers = {
        describe: () => describes(DRIVER),
        validate: () => Promise.reject(new Error()),
        plan: () => planBy(DRIVER),
      };
      const stale = { v: 2, driver: DRIVER, service: DRIVER, keyId: own.public.id, coreKey: coreX(), number: 1 } as const;
      const body = JSON.stringify(describes(DRIVER));
      const mac = proofOfAnnouncement(new ProofKeys('driver').of(own, coreX()), { number: 1, body });
      const answer = await new RequestClient(rotated.link).request(announceContract, { ...stale, body, mac });
      expect(answer).toEqual({ kept: false, coreKey: new CoreKeys([master]).publicX, number: 1 });
      await isKept(await rotated.serve(answers, own));
    } finally {
      await rotated.close();
    }
  });
});

describe('a driver that an operator removed', () => {
  it('is not brought back by what it announced before, and its name is free for another service', async () => {
    const description = describes('mgmt-drivers-moved');
    const own = await bench.enrolledKey(description.service);
    await announced(description, own);
    const old = heard.findLast(({ driver }) => driver === description.driver)!;
    const moved = { ...description, service: 'storage-mgmt' };
    await expect(announce(proven(moved, foreign, 2))).rejects.toMatchObject({
      code: 'driver.of-another-service',
      message: expect.stringContaining('windlass driver remove mgmt-drivers-moved') as string,
    });
    expect(await bench.drivers.remove(description.driver)).toBe(true);
    expect(await bench.drivers.remove(description.driver)).toBe(false);
    expect(await bench.drivers.find(description.driver)).toBeUndefined();
    expect(await announce(old)).toMatchObject({ kept: false });
    expect(await bench.drivers.find(description.driver)).toBeUndefined();
    await announced(moved, foreign);
    expect(await bench.drivers.find(description.driver)).toEqual(moved);
  });
});

describe('an announcement', () => {
  it('that is no description is refused with what is wrong', async () => {
    const nothing = { contract: 2, driver: DRIVER, service: DRIVER };
    await expect(announce(proven(nothing, keys, await next()))).rejects.toMatchObject({ code: 'messaging.undecodable' });
  });

  it('of version 1, as a driver of then sends it, is answered with what to do', async () => {
    const { contract: _, ...old } = describes(DRIVER);
    const bytes = encode('mgmt.announce.request', announceContract.request, old as never);
    const { data } = await bench.link.connection.request(announceContract.subject, bytes, { timeout: 30_000 });
    const detail = expect.stringContaining('rebuild the driver against contract version 2') as string;
    expect(openEnvelope(data)).toMatchObject({ type: 'error', data: { code: 'driver.contract-version-1', status: 400, detail } });
  });
});
