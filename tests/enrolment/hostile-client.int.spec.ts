import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { testFolder } from '@windlass/embedded/testing';
import { millis, Secret, seconds, waitUntil } from '@windlass/foundation';
import {
  connectNats,
  DurableReconciler,
  eventStream,
  stepConsumer,
  stepStream,
  StreamPublisher,
  subjects,
  type NatsLink,
} from '@windlass/messaging';
import { isEnrolled, SERVICES } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quiet } from '../support/system.js';
import { ears, QUEUES, sayings } from './support/hostile-tries.js';
import { hash, ownNats, PASSWORD, type OwnNats } from './support/own-nats.js';
import { RawClient } from './support/raw-client.js';
import { covers, printedUsers, rowsOf, tableIn, tableOf, THIRD_PARTY } from './support/user-table.js';

const page = join(import.meta.dirname, '../../docs/security.md');
const printed = printedUsers();
/** Before anything is tried: a changed permission is written into the page on demand, and read from there. */
if (process.env.UPDATE_NATS_USERS !== undefined) {
  const text = readFileSync(page, 'utf8');
  const { from, to } = tableIn(text);
  writeFileSync(page, text.slice(0, from) + tableOf(printed) + text.slice(to));
}
const text = readFileSync(page, 'utf8');
const { from, to } = tableIn(text);
const promised = rowsOf(text.slice(from, to));

const WORKERS = [...SERVICES.filter(isEnrolled).map(({ name }) => name), THIRD_PARTY.name];
/** Coordinators manage streams, so what they try is done; they come last. */
const COORDINATOR = 'saga-coordinator';
const others = promised.filter(({ user }) => user !== COORDINATOR);
const coordinator = promised.filter(({ user }) => user === COORDINATOR);

const folder = testFolder();
let server: OwnNats;
let admin: NatsLink;
let manager: JetStreamManager;
/** What came through of what was said: by whom, and where. */
let heard = new Set<string>();

/** All that could be changed by whoever may not. */
async function streamsAndDurables(): Promise<unknown> {
  const streams = [stepStream.name, eventStream.name].map(async (name) => [
    (await manager.streams.info(name)).config,
    (await manager.consumers.list(name).next())
      .map(({ config }) => config)
      .sort((a, b) => ((a.durable_name ?? '') < (b.durable_name ?? '') ? -1 : 1)),
  ]);
  return [await manager.streams.names().next(), ...(await Promise.all(streams))];
}

beforeAll(async () => {
  server = await ownNats({
    folder: folder.path,
    thirdParties: [THIRD_PARTY],
    users: (text) => text.replace('users: [', `users: [\n    { user: "admin", password: "${hash}" }`),
  });
  admin = await connectNats({
    url: server.url,
    user: 'admin',
    password: new Secret(PASSWORD),
    name: 'admin',
    log: quiet,
    within: seconds(30),
  });
  manager = await jetstreamManager(admin.connection);
  const publisher = new StreamPublisher(admin, [stepStream, eventStream], quiet);
  await publisher.ensure();
  const services = () => Promise.resolve(WORKERS);
  const reconciler = new DurableReconciler({
    link: admin,
    log: quiet,
    services,
    own: COORDINATOR,
    ensureStreams: () => publisher.ensure(),
  });
  reconciler.start();
  const made = async () => (await manager.consumers.list(stepStream.name).next()).length > WORKERS.length || undefined;
  await waitUntil(made, { for: 'the durables', within: seconds(20), every: millis(20) });
  await reconciler.stop();
  for (const worker of WORKERS) await publisher.publishBytes(subjects.step(worker), Buffer.from(worker));
  admin.connection.subscribe('>', {
    callback: (_, { subject, reply = '' }) => {
      if (reply.endsWith('.tried')) heard.add(`${reply} ${subject}`);
    },
  });
  await admin.flushed();
});

afterAll(async () => {
  await admin.close();
  server.child.kill('SIGTERM');
  folder.remove();
});

/** Wake-ups that wait for each worker. */
async function waiting(): Promise<Map<string, number>> {
  const counted = WORKERS.map(async (worker) => {
    const { num_pending: pending } = await manager.consumers.info(stepStream.name, stepConsumer(worker));
    return [worker, pending] as const;
  });
  return new Map(await Promise.all(counted));
}

async function whatSucceeds(user: string): Promise<{ says: string[]; hears: string[] }> {
  const client = await RawClient.connect(server.port, user, PASSWORD);
  const said = sayings(user, promised).map(({ subject, payload }) => ({
    subject,
    refusal: client.publish(subject, payload, `_INBOX_${user}.tried`),
  }));
  const mute = new Set(await client.settled());
  const listened = ears(promised, user).flatMap((subject) =>
    QUEUES.map((queue) => ({
      subject: queue === '' ? subject : `${subject} as ${queue}`,
      refusal: client.subscribe(subject, queue),
    })),
  );
  const deaf = new Set(await client.settled());
  client.close();
  const taken = (tries: readonly { subject: string; refusal: string }[], refused: ReadonlySet<string>): string[] =>
    [...new Set(tries.flatMap(({ subject, refusal }) => (refused.has(refusal) ? [] : [subject])))].sort();
  return { says: taken(said, mute), hears: taken(listened, deaf) };
}

describe('a service that was captured', () => {
  it('has what docs/security.md says: the table there is what "windlass nats-acl" prints', () => {
    expect(promised).toEqual(printed);
  });

  it.each([...others, ...coordinator].map((row) => [row.user, row] as const))(
    'as %s can say and hear what the table says, and nothing else',
    async (user, row) => {
      const [before, waitedFor] = [await streamsAndDurables(), await waiting()];
      heard = new Set();
      const { says, hears } = await whatSucceeds(user);
      const tried = [...new Set(sayings(user, promised).map(({ subject }) => subject))];
      expect(tried.length).toBeGreaterThan(500);
      expect(says).toEqual(tried.filter((subject) => covers(row.says, subject)).sort());
      const listened = ears(promised, user).flatMap((subject) => QUEUES.map((queue) => [subject, queue] as const));
      const expected = listened.filter(([subject]) => covers(row.hears, subject));
      expect(hears).toEqual(expected.map(([subject, queue]) => (queue === '' ? subject : `${subject} as ${queue}`)).sort());
      await admin.flushed();
      expect([...heard].sort()).toEqual(says.map((subject) => `_INBOX_${user}.tried ${subject}`).sort());
      if (user === COORDINATOR) return;
      expect(await streamsAndDurables()).toEqual(before);
      const left = await waiting();
      for (const worker of WORKERS.filter((name) => name !== user))
        expect(left.get(worker), worker).toBeGreaterThanOrEqual(waitedFor.get(worker) ?? 0);
    },
  );

  it('answers what it was asked, once, and what others were asked not at all', async () => {
    const [asked, other] = await Promise.all(
      [THIRD_PARTY.name, 'k8s-mgmt'].map((user) => RawClient.connect(server.port, user, PASSWORD)),
    );
    asked!.subscribe('windlass.mgmt.my-driver.validate');
    expect(await asked!.settled()).toEqual([]);
    const inbox = '_INBOX_lcm-api.waits.here';
    expect(asked!.publish(inbox, 'too early')).toBe((await asked!.settled())[0]);
    admin.connection.publish('windlass.mgmt.my-driver.validate', '{}', { reply: inbox });
    await admin.flushed();
    await asked!.settled();
    const refusal = asked!.publish(inbox, 'the answer');
    expect(await asked!.settled()).toEqual([]);
    asked!.publish(inbox, 'another answer');
    expect(await asked!.settled()).toEqual([refusal]);
    other!.publish(inbox, 'the answer of somebody else');
    expect(await other!.settled()).toEqual([refusal]);
    for (const client of [asked!, other!]) client.close();
  });
});
