import { startNats, type RunningNats } from '@windlass/embedded';
import { testFolder } from '@windlass/embedded/testing';
import { Secret, seconds, TransientError } from '@windlass/foundation';
import {
  announceContract,
  connectNats,
  CoreKeys,
  DriverAsker,
  enrolContract,
  DurableReconciler,
  Enrolment,
  KeyPair,
  mgmtContracts,
  NatsCoordinatorClient,
  RequestClient,
  RequestServer,
  stepStream,
  StreamPublisher,
  type NatsLink,
} from '@windlass/messaging';
import { FakeHosts } from '@windlass/mgmt-driver/testing';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDrivers } from '@windlass/driver-kit';
import { KUBERNETES_DRIVER } from './kubeadm.driver.js';
import { defaultSettings } from './settings/settings.js';
import { KUBESPRAY_DRIVER } from './kubespray.driver.js';
import { NODE_PORT_DRIVER } from './node-port.driver.js';
import { k8sServiceParts } from './service.js';
import { guideParams, hookContext, validateRequest } from './testing/requests.js';

const coreKeys = new CoreKeys([Buffer.alloc(32, 1)]);
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('the service on NATS', () => {
  const folder = testFolder();
  let nats: RunningNats;
  let link: NatsLink;
  let service: Awaited<ReturnType<typeof startDrivers>>;
  let enrolment: Enrolment;
  const keys = KeyPair.generate();
  const announced: string[] = [];

  beforeAll(async () => {
    nats = await startNats({ dataDir: join(folder.path, 'nats'), log: () => undefined });
    const { url, admin } = nats;
    link = await connectNats({
      url,
      user: admin.user,
      password: new Secret(admin.password),
      name: 'test',
      log,
      within: seconds(30),
    });
    new RequestServer(link, 'saga-coordinator', log).serve(enrolContract, () => Promise.resolve({ enrolled: true }));
    const client = new RequestClient(link);
    enrolment = new Enrolment({ client, service: 'k8s-mgmt', worker: 'test', keys, log }).start();
    service = await startDrivers({
      ...k8sServiceParts(defaultSettings),
      link,
      enrolment,
      coordinator: new NatsCoordinatorClient(client, enrolment),
      hosts: new FakeHosts(),
      replica: 'test',
      log,
    });
  });
  afterAll(async () => {
    await service.stop();
    await enrolment.stop();
    await link.close();
    await nats.stop();
    folder.remove();
  });

  it('announces its drivers until somebody has kept them, and not after', async () => {
    const server = new RequestServer(link, 'lcm-api', log);
    server.serve(announceContract, ({ driver, mac }) => {
      announced.push(`${driver} ${mac === undefined ? 'asks' : 'proves'}`);
      if (announced.filter((line) => line.startsWith(driver)).length === 1)
        return Promise.reject(new TransientError('driver.key-not-enrolled', 'not yet'));
      return Promise.resolve(mac === undefined ? { kept: false, coreKey: coreKeys.publicX, number: 1 } : { kept: true });
    });
    const told = [NODE_PORT_DRIVER, KUBERNETES_DRIVER, KUBESPRAY_DRIVER].flatMap((driver) => [
      `${driver} asks`,
      `${driver} asks`,
      `${driver} proves`,
    ]);
    await expect.poll(() => [...announced].sort(), { timeout: 15_000 }).toEqual(told);
    await server.drain();
    expect(announced).toHaveLength(9);
  });

  it('takes wake-ups as soon as a coordinator has made its consumer', async () => {
    expect(service.ready).toBe(false);
    const publisher = new StreamPublisher(link, [stepStream], log);
    const services = () => Promise.resolve(['k8s-mgmt']);
    const ensureStreams = () => publisher.ensure();
    const reconciler = new DurableReconciler({ link, log, services, own: 'saga-coordinator', ensureStreams }).start();
    await expect.poll(() => service.ready, { timeout: 15_000 }).toBe(true);
    await reconciler.stop();
  });

  it('describes, validates and plans', async () => {
    const enrolled = { id: keys.public.id, service: 'k8s-mgmt', publicKey: keys.public.x, revoked: false };
    const asker = new DriverAsker({ link, coreKeys, enrolments: { keysOf: () => Promise.resolve([enrolled]) }, log });
    const driver = { contract: 2, driver: KUBERNETES_DRIVER, service: 'k8s-mgmt' };
    const contracts = mgmtContracts(KUBERNETES_DRIVER);
    expect((await asker.ask(driver, contracts.describe, {})).driver).toBe(KUBERNETES_DRIVER);
    const reply = await asker.ask(driver, contracts.validate, validateRequest(guideParams()));
    expect(reply.invalidParams).toEqual([]);
    expect(reply.normalised).not.toEqual({});
    const plan = await asker.ask(driver, contracts.plan, hookContext(guideParams(), 2));
    expect(plan.madeBy).toEqual({ driver: KUBERNETES_DRIVER, version: '0.1.0' });
    const refused = asker.ask(driver, contracts.plan, hookContext(guideParams(), 0, { vnfcs: [] }));
    await expect(refused).rejects.toMatchObject({ code: 'cluster.no-master', name: 'TerminalError' });
  });
});
