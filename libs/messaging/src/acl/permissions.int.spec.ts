import { startNats, type RunningNats } from '@windlass/embedded';
import { testFolder } from '@windlass/embedded/testing';
import { seconds, Secret } from '@windlass/foundation';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineContract, defineEvent } from '../contracts/contract.js';
import { wakeUpEvent } from '../contracts/wake-up.js';
import { DurableReconciler } from '../jetstream/durable-reconciler.js';
import { PullConsumer } from '../jetstream/pull-consumer.js';
import { StreamPublisher } from '../jetstream/stream-publisher.js';
import { eventStream, managerOf, stepStream } from '../jetstream/streams.js';
import { connectNats, type NatsLink } from '../link/nats-link.js';
import { RequestClient } from '../request/request-client.js';
import { RequestServer } from '../request/request-server.js';
import { stepConsumer, subjects } from '../contracts/subjects.js';
import { eventually, MemoryLog } from '../testing/harness.js';
import { userPermissions, type Part } from './permissions.js';

const any = { type: ['string', 'object', 'null'] } as const;
const contractOn = (subject: string) => defineContract<string, string>({ name: 'test.any', subject, request: any, reply: any });
const event = defineEvent<string>({ name: 'event.any', data: any });

const parts: Record<string, Part[]> = {
  'saga-coordinator': [{ kind: 'coordinator' }],
  'k8s-mgmt': [
    { kind: 'worker', service: 'k8s-mgmt' },
    { kind: 'driver', drivers: ['mgmt-drivers-kubernetes'] },
    { kind: 'asks', family: 'vim-claim' },
  ],
  'vim-registry': [
    { kind: 'serves', family: 'vim' },
    { kind: 'serves', family: 'vim-claim' },
  ],
  'lcm-api': [
    { kind: 'listener' },
    { kind: 'rings' },
    { kind: 'asks-drivers' },
    { kind: 'asks', family: 'vim' },
    { kind: 'serves', family: 'package' },
  ],
};

describe('the NATS user of a service', () => {
  const folder = testFolder();
  const log = new MemoryLog();
  const links: NatsLink[] = [];
  let server: RunningNats;

  async function linkOf(name: string, password = `pw-${name}`): Promise<NatsLink> {
    const options = { url: server.url, user: name, password: new Secret(password), name, log, within: seconds(30) };
    const link = await connectNats(options);
    links.push(link);
    return link;
  }

  beforeAll(async () => {
    const users = Object.entries(parts).map(([name, played]) => {
      return { name, password: `pw-${name}`, permissions: userPermissions(name, played) };
    });
    server = await startNats({ dataDir: join(folder.path, 'nats'), users, log: () => undefined });
  });
  afterAll(async () => {
    await Promise.all(links.map((link) => link.close()));
    await server.stop();
    folder.remove();
  });

  it('may do all that its service does', async () => {
    const admin = await linkOf(server.admin.user, server.admin.password);
    const [coordinator, worker, vims, api] = await Promise.all(Object.keys(parts).map((name) => linkOf(name)));
    const publisher = new StreamPublisher(coordinator!, [stepStream, eventStream], log);
    const reconciler = new DurableReconciler({
      link: coordinator!,
      log,
      services: () => Promise.resolve(['k8s-mgmt']),
      own: 'saga-coordinator',
      ensureStreams: () => publisher.ensure(),
    }).start();

    const wakeUps: string[] = [];
    const spec = { stream: stepStream, durable: stepConsumer('k8s-mgmt'), subject: subjects.step('k8s-mgmt'), workers: 2 };
    const hear = (message: { subject: string }) => Promise.resolve(void wakeUps.push(message.subject));
    const consumer = new PullConsumer(worker!, spec, hear, log, 'k8s-mgmt');
    consumer.start();
    await eventually('the consumer', () => consumer.ready);
    await new StreamPublisher(api!, [], log).publish(wakeUpEvent, subjects.step('k8s-mgmt'), {
      operationId: 'o',
      stepId: 's',
      epoch: 1,
    });
    await eventually('the wake-up to be heard and acknowledged', async () => {
      const manager = await managerOf(coordinator!.connection);
      return wakeUps.length === 1 && (await manager.streams.info(stepStream.name)).state.messages === 0;
    });
    // A deletion is told to the coordinator, which makes it anew.
    const lost = managerOf(admin.connection).then((manager) => manager.consumers.delete(stepStream.name, spec.durable));
    await lost.catch((error: unknown) => expect(String(error)).toMatch(/not empty/));
    await eventually('the loss', () => log.of('warn').includes('looking after a consumer'));
    await eventually('the consumer to be back', () => consumer.ready);
    await consumer.drain(seconds(1));
    await reconciler.stop();

    const serve = (link: NatsLink, queue: string, subject: string) =>
      new RequestServer(link, queue, log).serve(contractOn(subject), (data) => Promise.resolve(`${data}!`));
    serve(coordinator!, 'saga-coordinator', subjects.saga('claim'));
    serve(worker!, 'k8s-mgmt', subjects.mgmt('mgmt-drivers-kubernetes', 'plan'));
    serve(worker!, 'k8s-mgmt', subjects.mgmt('mgmt-drivers-kubernetes', 'validate'));
    serve(vims!, 'vim-registry', subjects.vim('update'));
    serve(vims!, 'vim-registry', subjects.vimClaim('host-key'));
    serve(api!, 'lcm-api', subjects.package('part'));
    await Promise.all(links.map((link) => link.flushed()));
    const ask = (link: NatsLink, subject: string) => new RequestClient(link).request(contractOn(subject), 'x');
    expect(await ask(worker!, subjects.saga('claim'))).toBe('x!');
    expect(await ask(worker!, subjects.vimClaim('host-key'))).toBe('x!');
    expect(await ask(api!, subjects.vim('update'))).toBe('x!');
    expect(await ask(coordinator!, subjects.mgmt('mgmt-drivers-kubernetes', 'plan'))).toBe('x!');
    for (const verb of ['validate', 'plan'] as const)
      expect(await ask(api!, subjects.mgmt('mgmt-drivers-kubernetes', verb))).toBe('x!');

    const told: string[] = [];
    api!.connection.subscribe(subjects.event.all, { callback: (_, message) => void told.push(message.subject) });
    await api!.flushed();
    await publisher.publish(event, subjects.event.vnf('created'), 'x');
    await eventually('the event', () => told.length === 1);
    expect(log.of('error')).toEqual([]);
  });

  it.each([
    ['k8s-mgmt', subjects.step('infra-driver')],
    ['k8s-mgmt', subjects.package('part')],
    ['k8s-mgmt', subjects.vim('update')],
    ['saga-coordinator', subjects.vim('update')],
    ['lcm-api', subjects.vimClaim('host-key')],
    ['k8s-mgmt', '$JS.API.CONSUMER.MSG.NEXT.windlass-steps.step-infra-driver'],
    ['k8s-mgmt', '$JS.API.STREAM.DELETE.windlass-events'],
    ['k8s-mgmt', '$JS.API.STREAM.UPDATE.windlass-steps'],
    ['k8s-mgmt', '$JS.API.CONSUMER.CREATE.windlass-steps.step-k8s-mgmt.windlass.step.k8s-mgmt'],
    ['lcm-api', '$JS.API.STREAM.CREATE.windlass-steps'],
    ['vim-registry', subjects.saga('claim')],
    ['vim-registry', subjects.mgmt('mgmt-drivers-kubernetes', 'plan')],
  ])('%s may not ask %s', async (name, subject) => {
    const link = await linkOf(name);
    const asked = new RequestClient(link).request(contractOn(subject), 'x', { within: seconds(30) });
    await expect(asked).rejects.toMatchObject({ code: 'messaging.forbidden' });
  });

  it.each([
    ['k8s-mgmt', subjects.saga('claim')],
    ['k8s-mgmt', subjects.step('k8s-mgmt')],
    ['k8s-mgmt', '_INBOX_vim-registry.>'],
    ['vim-registry', '>'],
    ['lcm-api', subjects.mgmt('mgmt-drivers-kubernetes', 'plan')],
  ])('%s may not listen on %s', async (name, subject) => {
    const link = await linkOf(name);
    const refused = new Promise<string>((resolve) => {
      link.connection.subscribe(subject, { callback: (error) => resolve(String(error)) });
    });
    expect(await refused).toMatch(/permissions violation/i);
  });

  it('is refused with a wrong password, naming the user and not the password', async () => {
    const options = { url: server.url, user: 'k8s-mgmt', password: new Secret('guess'), name: 'x', log };
    const refused: unknown = await connectNats(options).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'messaging.refused', message: expect.stringContaining('user k8s-mgmt') as string });
    expect(String(refused)).not.toContain('guess');
  });
});
