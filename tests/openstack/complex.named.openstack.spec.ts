import { minutes } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodesCome } from '../support/nodes-come.js';
import type { ShownVnfc } from '../support/shown-vnfc.js';
import { ClusterOnOpenStack, serverOf } from './support/cluster-on-openstack.js';

const MASTERS = 3;

let cluster: ClusterOnOpenStack;

beforeAll(async () => {
  cluster = await ClusterOnOpenStack.start('complex');
});
afterAll(() => cluster.end());

const ofVdu = async (vduId: string): Promise<ShownVnfc[]> => (await cluster.vnfcs()).filter((vnfc) => vnfc.vduId === vduId);
const masters = (): Promise<ShownVnfc[]> => ofVdu('masterNode');
const workers = (): Promise<ShownVnfc[]> => ofVdu('workerNode');

/** Instance, Nova, Neutron, cluster and etcd agree; the API answers at the virtual address, which one master has. */
async function expectWhole(workerCount: number): Promise<void> {
  const shown = await cluster.vnfcs();
  expect([(await masters()).length, (await workers()).length]).toEqual([MASTERS, workerCount]);
  const servers = await cluster.project.servers();
  expect(servers.map(({ id, status }) => [id, status]).sort()).toEqual(shown.map((vnfc) => [serverOf(vnfc), 'ACTIVE']).sort());
  const ports = await cluster.project.ports();
  const vip = ports.filter(({ serverId }) => serverId === '').map(({ address }) => address);
  expect(vip).toHaveLength(1);
  for (const vnfc of shown) {
    const own = ports.filter(({ serverId }) => serverId === serverOf(vnfc));
    const port = { address: cluster.addressOf(vnfc), pairs: vnfc.vduId === 'masterNode' ? vip : [] };
    expect(own).toMatchObject([port]);
  }
  await nodesCome(() => cluster.nodes(), shown.map((vnfc) => `${cluster.addressOf(vnfc)} True`).sort()); // prettier-ignore
  const addresses = (await masters()).map((vnfc) => cluster.addressOf(vnfc));
  expect(await cluster.members()).toEqual(addresses.map((address) => `${address} false`).sort());
  await expect.poll(() => holders(vip[0]!), { timeout: 60_000, interval: 500 }).toHaveLength(1);
  expect(await registeredAt()).toEqual([`https://${vip[0]!}:16443`]);
  expect(await cluster.atFirstMaster(['grep', 'server:', '/etc/kubernetes/admin.conf'])).toBe(`server: https://${vip[0]!}:16443`);
}

/** The masters that have the virtual address. */
async function holders(vip: string): Promise<ShownVnfc[]> {
  const look = async (vnfc: ShownVnfc): Promise<ShownVnfc[]> =>
    (await cluster.run(serverOf(vnfc), ['ip', '-4', '-o', 'addr'])).includes(` ${vip}/`) ? [vnfc] : [];
  return (await Promise.all((await masters()).map(look))).flat();
}

/** The addresses at which clusters are registered. */
async function registeredAt(): Promise<string[]> {
  const { vims } = await cluster.product.api.get<{ vims: { type: string; auth_url: string }[] }>('/v1.0/vims');
  return vims.filter(({ type }) => type === 'kubernetes').map(({ auth_url: url }) => url);
}

describe('a cluster of three masters on a real OpenStack, its hosts the machines of the lab', { timeout: minutes(30) }, () => {
  it('is made for an ordinary user: the masters may have the virtual address by their ports, and the API answers there', async () => {
    const operation = await cluster.instantiate(await cluster.vimOf(cluster.project.blind), 'three masters');
    expect(operation).toMatchObject({ operationState: 'COMPLETED' });
    await expectWhole(2);
  });

  it('gets a third worker and loses one, and no server but those is touched', async () => {
    const before = (await cluster.vnfcs()).map(serverOf);
    expect(await cluster.scale('SCALE_OUT')).toMatchObject({ operationState: 'COMPLETED' });
    await expectWhole(3);
    const more = (await cluster.vnfcs()).map(serverOf);
    expect(more).toEqual(expect.arrayContaining(before));
    expect(await cluster.scale('SCALE_IN')).toMatchObject({ operationState: 'COMPLETED' });
    await expectWhole(2);
    const stay = (await cluster.vnfcs()).map(serverOf);
    expect(more).toEqual(expect.arrayContaining(stay));
  });

  it('has a worker healed, at its address and by another server', async () => {
    const [sick] = await workers();
    const address = cluster.addressOf(sick!);
    const { operation, gone } = await cluster.heals(sick!);
    expect(operation).toMatchObject({ operationState: 'COMPLETED' });
    expect(gone).toEqual([serverOf(sick!)]);
    expect((await workers()).map((vnfc) => cluster.addressOf(vnfc))).toContain(address);
    await expectWhole(2);
  });

  it('has the master healed that has the virtual address', async () => {
    const vip = (await cluster.project.ports()).find(({ serverId }) => serverId === '')!.address;
    const [sick] = await holders(vip);
    const { operation, gone } = await cluster.heals(sick!);
    expect(operation).toMatchObject({ operationState: 'COMPLETED' });
    expect(gone).toEqual([serverOf(sick!)]);
    await expectWhole(2);
  });

  it('ends with nothing left, its VIM neither', async () => {
    expect(await cluster.operate('terminate', { terminationType: 'FORCEFUL' })).toMatchObject({ operationState: 'COMPLETED' });
    await cluster.expectNothingLeft();
    expect(await registeredAt()).toEqual([]);
  });
});
