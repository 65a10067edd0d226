import { seconds, type JsonObject } from '@windlass/foundation';
import { defaultSettings, kubesprayParts } from '@windlass/k8s-mgmt';
import { clusterConnectionId, clusterVimId } from '@windlass/mgmt-driver';
import { VimEntity } from '@windlass/persistence';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { registerAsClusterOf } from '../cnf/support/cluster.js';
import { atRest, onboard, registerVim, sampleRequest, startSystem, stepsOf, type System } from '../support/system.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';
import { vnfView, type VnfView } from '../support/vnf-view.js';

let system: System;
/** Looks at requests as kubespray's does, and has nothing done: there are no machines. */
let driver: TestDriver;
let vnf: VnfView;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  const { driver: kubespray } = kubesprayParts(defaultSettings);
  const { driver: name, ...description } = kubespray.describe();
  driver = await startTestDriver(system, name, { ...description, validate: (request) => kubespray.validate(request) });
  const { vnfdId } = await onboard(system.api, 'kubespray');
  const request = JSON.stringify(await sampleRequest('instantiate-kubespray.json', 'net0'));
  vnf = await vnfView(
    system,
    String(vnfdId),
    JSON.parse(request.replaceAll('${ANSIBLE_ADDRESS}', '192.0.2.10')) as JsonObject,
    seconds(90),
  ).catch(async (error: unknown) => {
    console.error(JSON.stringify(await stepsOf(system)));
    throw error;
  });
});
afterAll(async () => {
  await driver.stop();
  await system.close();
});

/** The cluster is registered at an address, as the instance says it. */
async function registeredAt(address: string): Promise<void> {
  const id = vnf.url.split('/').at(-1) ?? '';
  const url = `https://${address}:8383`;
  await system.database.manager.delete(VimEntity, { id: clusterVimId(id) });
  const vimId = await registerAsClusterOf(system, { url, token: 'of-an-account', ca: 'none that anybody asks for' }, id);
  const connection = { id: clusterConnectionId(id), vimId, vimType: 'kubernetes', accessInfo: { authUrl: url } };
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  const op = await atRest(system.api, await system.api.patch(vnf.url, { vimConnectionInfo: [connection] }, { headers }));
  expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
}

async function addressOfBalancer(): Promise<string> {
  const { instantiatedVnfInfo } = (await vnf.show()) as unknown as {
    instantiatedVnfInfo: {
      vnfcResourceInfo: {
        vduId: string;
        vnfcCpInfo: { cpProtocolInfo: { ipOverEthernet: { ipAddresses: { addresses: string[] }[] } }[] }[];
      }[];
    };
  };
  const balancer = instantiatedVnfInfo.vnfcResourceInfo.find(({ vduId }) => vduId === 'externalLB');
  return balancer?.vnfcCpInfo[0]?.cpProtocolInfo[0]?.ipOverEthernet.ipAddresses[0]?.addresses[0] ?? 'nowhere';
}

const heal = async (vduId: string) => {
  const [id] = await vnf.ofVdu(vduId);
  return system.api.post<JsonObject>(`${vnf.url}/heal`, { vnfcInstanceId: [id!], cause: 'it hangs' });
};

it('a heal of a load balancer that has lost the address at which its cluster is registered is 409, and nothing begins', async () => {
  await registeredAt('203.0.113.9');
  const told = driver.told.length;
  const { status, data } = await heal('externalLB');
  expect(status, JSON.stringify(data)).toBe(409);
  expect(data).toMatchObject({
    code: 'external-lb.moved',
    detail: expect.stringMatching(
      /registered at 203\.0\.113\.9, and .*openstack port set --fixed-ip.*or heal the whole/,
    ) as string,
  });
  expect(driver.told).toHaveLength(told);
});

it('a heal of a worker beside it is not refused', async () => {
  const op = await atRest(system.api, await heal('workerNode'));
  expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
});

it('the balancer is healed once it has the address', async () => {
  await registeredAt(await addressOfBalancer());
  const op = await atRest(system.api, await heal('externalLB'));
  expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
});
