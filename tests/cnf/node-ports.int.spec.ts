import { oneDriver, startDrivers, type DriverDependencies } from '@windlass/driver-kit';
import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { defaultSettings, K8S_SERVICE, nodePortParts } from '@windlass/k8s-mgmt';
import { FakeExternalLb, HAPROXY_BEFORE, LB_ADDRESS } from '@windlass/k8s-mgmt/testing';
import { NatsCoordinatorClient, RequestClient } from '@windlass/messaging';
import type { RunningService } from '@windlass/service-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newToken, startEnrolment, taken } from '../support/enrolment.js';
import { atRest, createVnf, onboard, quiet, startSystem, type System } from '../support/system.js';
import { cnfRequest, ownObjects, registerCluster, standinCluster, type CnfCluster } from './support/cluster.js';

const LB = 'lcm-kubernetes-external-lb';

let system: System;
let cluster: CnfCluster;
let vimId: string;
let vnfdId: unknown;
let driver: RunningService;
let stop: () => Promise<void>;
const world = new FakeExternalLb();
world.hosts.on(/^systemctl is-active/, { status: 0 });

beforeAll(async () => {
  [system, cluster] = await Promise.all([startSystem(), standinCluster()]);
  const { link, database, masterKeys } = system;
  const worker = { service: K8S_SERVICE, worker: `${K8S_SERVICE}@test`, link, log: quiet };
  const enrolment = startEnrolment({ ...worker, token: (await newToken(database, masterKeys, worker)).text });
  await taken(enrolment);
  const coordinator = new NatsCoordinatorClient(new RequestClient(link), enrolment);
  const parts: DriverDependencies = {
    ...oneDriver(nodePortParts(defaultSettings)),
    ...{ link, enrolment, coordinator, hosts: world.hosts, replica: worker.worker, log: quiet },
  };
  driver = await startDrivers(parts);
  stop = async () => {
    await driver.stop();
    await enrolment.stop();
  };
  await waitUntil(() => Promise.resolve(driver.ready ? true : undefined), {
    for: 'the driver',
    within: seconds(60),
    every: millis(50),
  });
  vimId = await registerCluster(system, cluster);
  const shown = await onboard(system.api, 'cnf-nodeport');
  expect(shown, JSON.stringify(shown)).toMatchObject({ onboardingState: 'ONBOARDED' });
  ({ vnfdId } = shown);
});

afterAll(async () => {
  await stop();
  await system.close();
  await cluster.close();
});

const fileOf = (id: string): string | undefined => world.configured.get(`${id}:${LB_ADDRESS}`)?.file;
const has = (id: string, text = HAPROXY_BEFORE): void =>
  void world.configured.set(`${id}:${LB_ADDRESS}`, { file: text, read: text });

let url: string;
let id: string;
beforeEach(async () => {
  url = await createVnf(system.api, vnfdId, { vnfInstanceName: 'web' });
  id = url.split('/').at(-1)!;
  has(id);
});

const request = (change: (lb: JsonObject, params: JsonObject) => void = () => undefined): Promise<JsonObject> =>
  cnfRequest(
    vimId,
    (body) => {
      const params = body.additionalParams as JsonObject;
      const lb = params[LB] as { external_lb_param: JsonObject };
      lb.external_lb_param.ssh_ip = LB_ADDRESS;
      lb.external_lb_param.ssh_password = 'a-secret-of-the-balancer';
      change(lb.external_lb_param, params);
    },
    'instantiate-cnf-nodeport.json',
  );
const done = async (task: string, body: JsonObject): Promise<JsonObject> => {
  const op = await atRest(system.api, await system.api.post(`${url}/${task}`, body));
  expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
  return op as JsonObject;
};

describe('a VNF of containers behind a load balancer', () => {
  it('is reached by its ports, also the one that its cluster chose, through scale and heal, and by none when it is terminated', async () => {
    await done('instantiate', await request());
    const service = await cluster.api.get<{ spec: { ports: { nodePort: number }[] } }>('/api/v1/namespaces/default/services/web');
    const [fixed, chosen] = service.data.spec.ports.map(({ nodePort }) => nodePort);
    expect([fixed, chosen]).toEqual([30_080, expect.any(Number)]);
    const open = `${HAPROXY_BEFORE}
frontend default_web
    mode tcp
    description windlass-vnf ${id}
    bind *:30080
    bind *:${chosen}
    default_backend kubernetes-nodeport
`;
    expect(fileOf(id)).toBe(open);
    const { data } = await system.api.get<JsonObject>(url);
    expect(JSON.stringify(data)).not.toContain('a-secret-of-the-balancer');

    await done('scale', { type: 'SCALE_OUT', aspectId: 'web' });
    expect(fileOf(id)).toBe(open);
    await done('heal', {});
    expect(fileOf(id)).toBe(open);
    await done('terminate', { terminationType: 'GRACEFUL', gracefulTerminationTimeout: 1 });
    expect(fileOf(id)).toBe(HAPROXY_BEFORE);
    expect(await ownObjects(cluster)).toEqual([]);
  });

  it('whose port another VNF has is not made at all, which says who has it', async () => {
    const other = '0a4f7c6e-2f7d-4a8e-9c1b-5d0e3f1a2b3c';
    const taken = `${HAPROXY_BEFORE}\nfrontend a_b\n    description windlass-vnf ${other}\n    bind *:30080\n`;
    has(id, taken);
    const op = await atRest(system.api, await system.api.post(`${url}/instantiate`, await request()));
    expect(op).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect(JSON.stringify(op)).toContain(`is taken by the frontend a_b, of VNF instance ${other}`);
    expect(await ownObjects(cluster)).toEqual([]);
    await atRest(system.api, await system.api.post(`/vnflcm/v1/vnf_lcm_op_occs/${String(op.id)}/rollback`, {}));
    expect(fileOf(id)).toBe(taken);
  });

  it.each([
    ['no password', (lb: JsonObject) => delete lb.ssh_password, `/additionalParams/${LB}/external_lb_param`],
    ['no address', (lb: JsonObject) => (lb.ssh_ip = '300.1.1.1'), `/additionalParams/${LB}/external_lb_param/ssh_ip`],
    ['no user', (lb: JsonObject) => (lb.ssh_username = 'a;b'), `/additionalParams/${LB}/external_lb_param/ssh_username`],
    [
      'no script',
      (_: JsonObject, params: JsonObject) => ((params[LB] as JsonObject).script_path = 'x.sh'),
      `/additionalParams/${LB}/script_path`,
    ],
  ])('is refused at the request, at its path: %s', async (_, change, path) => {
    const refused = await system.api.post(`${url}/instantiate`, await request(change));
    expect(refused, JSON.stringify(refused.data)).toMatchObject({ status: 400 });
    expect(JSON.stringify(refused.data)).toContain(path);
  });
});
