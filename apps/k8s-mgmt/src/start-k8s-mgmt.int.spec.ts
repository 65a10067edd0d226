import { startNats, type RunningNats } from '@windlass/embedded';
import { testFolder } from '@windlass/embedded/testing';
import { Secret, seconds } from '@windlass/foundation';
import {
  announceContract,
  connectNats,
  Enrolment,
  KeyPair,
  mgmtContracts,
  RequestClient,
  RequestServer,
  type NatsLink,
} from '@windlass/messaging';
import { FakeHosts } from '@windlass/mgmt-driver/testing';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KUBERNETES_DRIVER } from './driver/kubernetes.driver.js';
import { defaultSettings } from './settings.js';
import { startK8sMgmt } from './start-k8s-mgmt.js';
import { guideParams, hookContext, validateRequest } from './testing/requests.js';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('the service on NATS', () => {
  const folder = testFolder();
  let nats: RunningNats;
  let link: NatsLink;
  let service: Awaited<ReturnType<typeof startK8sMgmt>>;
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
      within: seconds(10),
    });
    service = await startK8sMgmt({
      link,
      enrolment: new Enrolment({
        client: new RequestClient(link),
        service: 'k8s-mgmt',
        worker: 'test',
        keys: KeyPair.generate(),
        log,
      }),
      hosts: new FakeHosts(),
      settings: defaultSettings,
      replica: 'test',
      log,
    });
  });
  afterAll(async () => {
    await service.stop();
    await link.close();
    await nats.stop();
    folder.remove();
  });

  it('announces its driver until somebody has kept it, and not after', async () => {
    const server = new RequestServer(link, 'lcm-api', log);
    server.serve(announceContract, ({ driver }) => {
      announced.push(driver);
      return Promise.resolve({ kept: announced.length === 2 });
    });
    await expect.poll(() => announced, { timeout: 15_000 }).toEqual([KUBERNETES_DRIVER, KUBERNETES_DRIVER]);
    await server.drain();
    expect(announced).toHaveLength(2);
  });

  it('takes doorbells', async () => {
    await expect.poll(() => service.ready, { timeout: 15_000 }).toBe(true);
  });

  it('describes, validates and plans', async () => {
    const client = new RequestClient(link);
    const contracts = mgmtContracts(KUBERNETES_DRIVER);
    expect((await client.request(contracts.describe, {})).driver).toBe(KUBERNETES_DRIVER);
    const reply = await client.request(contracts.validate, validateRequest(guideParams()));
    expect(reply.invalidParams).toEqual([]);
    expect(reply.normalised).not.toEqual({});
    const plan = await client.request(contracts.plan, hookContext(guideParams(), 2));
    expect(plan.madeBy).toEqual({ driver: KUBERNETES_DRIVER, version: '0.1.0' });
    const refused = client.request(contracts.plan, hookContext(guideParams(), 0, { vnfcs: [] }));
    await expect(refused).rejects.toMatchObject({ code: 'cluster.no-master', name: 'TerminalError' });
  });
});
