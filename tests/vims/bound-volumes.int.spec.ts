import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { RequestClient, VimClient } from '@windlass/messaging';
import { clusterVimId, VOLUME_LABEL, type ValidateReply } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startKubernetesApi, type KubernetesApi } from '../enrolment/support/kubernetes-api.js';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, onboardZip, registerVim, startSystem, warningsOf, type System } from '../support/system.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';
import { vnfView, type VnfView } from '../support/vnf-view.js';

const DRIVER = 'mgmt-drivers-looking';
const HOOKS = ['heal_start', 'heal_end'] as const;

let system: System;
let cluster: KubernetesApi;
let driver: TestDriver;
let vnf: VnfView;
let vims: VimClient;
let reply: Partial<ValidateReply> = {};

const withHooks = (vnfd: string): string => {
  const bindings = HOOKS.map((hook) => `          ${hook}: { implementation: ${DRIVER} }\n`).join('');
  return vnfd.replace('\n    VDU1:', `\n      interfaces:\n        Vnflcm:\n${bindings}    VDU1:`);
};
const instanceId = (): string => vnf.url.split('/').at(-1)!;
const volume = (name: string, phase: string, instance: string): JsonObject => ({
  metadata: { name, labels: { [VOLUME_LABEL]: instance } },
  spec: { claimRef: { namespace: 'shop', name: `of-${name}` } },
  status: { phase },
});

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  cluster = await startKubernetesApi();
  driver = await startTestDriver(system, DRIVER, { hooks: [...HOOKS], validate: () => reply });
  const vnfdId = randomUUID();
  await onboardZip(system.api, scalingPackage(vnfdId, withHooks));
  vnf = await vnfView(system, vnfdId, scalingRequest('net0'));
  vims = new VimClient(new RequestClient(system.link), system.masterKeys);
});
afterAll(async () => {
  await driver.stop();
  await cluster.close();
  await system.close();
});
beforeEach(() => {
  reply = { looks: ['bound-volumes'] };
  Object.assign(cluster, { volumes: [], letsIn: true });
});

const heal = async () => {
  const [id] = await vnf.ofVdu('web');
  return system.api.post<JsonObject>(`${vnf.url}/heal`, { vnfcInstanceId: [id!], cause: 'silence' });
};

/** The heal is accepted; the warnings of its operation. */
async function healed(): Promise<string[]> {
  const op = await atRest(system.api, await heal());
  expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
  return warningsOf(system.api, op);
}

describe('a heal whose driver wants bound PersistentVolumes looked for', () => {
  it('goes on with a warning where the instance is no cluster that is registered', async () => {
    expect((await healed()).join()).toMatch(/was not seen: the cluster says nothing: it is not registered/);
  });

  describe('in the instance’s cluster', () => {
    beforeAll(async () => {
      const { tenant } = await system.database.query<{ tenant: string }[]>('SELECT tenant FROM vim.vim').then(([row]) => row!);
      await vims.register(
        tenant,
        {
          id: clusterVimId(instanceId()),
          name: 'cluster',
          type: 'kubernetes',
          auth_url: cluster.url,
          auth_cred: { bearer_token: cluster.token, ssl_ca_cert: cluster.ca },
        },
        {
          requestId: randomUUID(),
          actor: null,
          roles: [],
          remoteAddress: null,
          method: 'POST',
          resource: '/v1.0/vims',
          status: 201,
        },
      );
    });

    it('is refused with 409 and their names, and nothing has begun', async () => {
      cluster.volumes = [
        volume('pv1', 'Bound', instanceId()),
        volume('pv2', 'Available', instanceId()),
        volume('theirs', 'Bound', randomUUID()),
      ];
      const told = driver.told.length;
      const { status, data } = await heal();
      expect(status, JSON.stringify(data)).toBe(409);
      expect(data).toMatchObject({
        code: 'volumes.bound',
        detail: expect.stringMatching(/: pv1 \(claim shop\/of-pv1\)\. /) as string,
      });
      expect(driver.told).toHaveLength(told);
    });

    it('goes on, without a warning, when they were released', async () => {
      cluster.volumes = [volume('pv1', 'Released', instanceId())];
      expect(await healed()).toEqual([]);
    });

    it('goes on with a warning where the cluster lets nobody in, which shows no token', async () => {
      cluster.letsIn = false;
      const [warning] = await healed();
      expect(warning).toContain('the bearer token is not valid there');
      expect(warning).not.toContain(cluster.token);
    });

    it('does not ask the cluster where the driver does not want it', async () => {
      reply = {};
      const asked = cluster.asked();
      cluster.volumes = [volume('pv1', 'Bound', instanceId())];
      expect(await healed()).toEqual([]);
      expect(cluster.asked()).toBe(asked);
    });

    it('goes on with a warning when the cluster is gone', async () => {
      await cluster.close();
      expect((await healed()).join()).toMatch(/the cluster says nothing: its API does not answer/);
    });
  });
});
