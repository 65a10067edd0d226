import { randomUUID } from 'node:crypto';
import { seconds, type JsonObject } from '@windlass/foundation';
import type { ClusterNodesReply } from '@windlass/messaging';
import { Vault } from '@windlass/persistence';
import { ClusterNodes, type LookTimes } from '@windlass/vim-registry';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startKubernetesApi, type KubernetesApi } from '../enrolment/support/kubernetes-api.js';
import { startReplica, type Replica } from '../observability/support/replicas.js';
import { createVnf, registerVim, startSystem, type System } from '../support/system.js';
import { deployedCluster } from './support/deployed-cluster.js';

let system: System;
let cluster: KubernetesApi;
let rita: Replica;
let mallory: Replica;
/** The VNF instance that has deployed the cluster. */
let id: string;

beforeAll(async () => {
  system = await startSystem();
  cluster = await startKubernetesApi();
  await registerVim(system);
  id = await deployedCluster(system, cluster);
  rita = await startReplica(system, { user: 'rita', roles: ['reader'] });
  mallory = await startReplica(system, { tenant: 'other', user: 'mallory' });
});
afterAll(async () => {
  await Promise.all([rita.stop(), mallory.stop()]);
  await cluster.close();
  await system.close();
});
beforeEach(() => {
  Object.assign(cluster, {
    nodes: [node('master10', 'True'), node('worker11', 'False')],
    paths: [],
    letsIn: true,
    isMute: false,
  });
});

const node = (name: string, status: string): JsonObject => ({
  metadata: { name, labels: name.startsWith('master') ? { 'node-role.kubernetes.io/control-plane': '' } : {} },
  status: {
    nodeInfo: { kubeletVersion: 'v1.34.1' },
    addresses: [{ type: 'InternalIP', address: name === 'master10' ? '127.0.0.1' : '10.0.0.11' }],
    conditions: [{ type: 'Ready', status, message: 'container runtime network not ready' }],
  },
});
const look = (by: Replica = rita, of = id) =>
  by.api.get<ClusterNodesReply & JsonObject>(`/windlass/v1/vnf_instances/${of}/cluster`);
/** As a registry's own, with other times. */
const looks = (times: LookTimes) => new ClusterNodes(system.database, new Vault(system.masterKeys), undefined, times);
const until = (time: string, past: number) =>
  new Promise((resolve) => setTimeout(resolve, Date.parse(time) + past + 500 - Date.now()));

describe('the nodes of a cluster that a VNF instance has deployed', () => {
  it('are told to a reader as the cluster says, whoever has its address with them, and asked for once by several', async () => {
    const answers = await Promise.all([look(), look(), look()]);
    const [{ status, data }] = answers;
    expect(status, JSON.stringify(data)).toBe(200);
    expect(data).toMatchObject({
      vim: { name: 'cluster-of-a-vnf', url: cluster.url },
      unanswered: null,
      seenAt: data.askedAt,
      version: 'v1.34.1',
      addressHolder: 'master10',
      nodes: [
        { name: 'master10', role: 'master', ready: 'True', reason: null, version: 'v1.34.1', addresses: ['127.0.0.1'] },
        { name: 'worker11', role: 'worker', ready: 'False', reason: 'container runtime network not ready' },
      ],
      hasMore: false,
    });
    expect(answers.map((answer) => answer.data.askedAt)).toEqual([data.askedAt, data.askedAt, data.askedAt]);
    expect(cluster.paths.toSorted()).toEqual(['/api/v1/nodes', '/version']);
    expect(JSON.stringify(data)).not.toContain(cluster.token);
  });

  it('are of no instance of another project, as if it were nobody’s, however fresh what is known of them', async () => {
    await look();
    for (const { status, data } of [await look(mallory), await look(mallory, randomUUID())])
      expect([status, data.code]).toEqual([404, 'vnf-instance.unknown']);
  });

  it('are 404 with the reason for an instance that has deployed no cluster', async () => {
    const [{ vnfd_id: vnfdId }] = await system.database.query<[{ vnfd_id: string }]>('SELECT vnfd_id FROM lcm.vnf_instance');
    const fresh = (await createVnf(system.api, vnfdId)).split('/').at(-1)!;
    const { status, data } = await look(rita, fresh);
    expect([status, data.code]).toEqual([404, 'cluster.not-registered']);
    expect(data.detail).toContain(`VNF instance ${fresh} has no cluster that is registered`);
  });

  it('are what was seen last where the cluster says nothing any more, in bounded time, with the reason, and it is left alone then', async () => {
    const nodes = looks({ within: seconds(1), goodFor: seconds(1) });
    const before = await nodes.of('default', id);
    expect(before.unanswered).toBeNull();
    cluster.isMute = true;
    await until(before.askedAt, seconds(1));
    const after = await nodes.of('default', id);
    expect([after.nodes, after.seenAt]).toEqual([before.nodes, before.seenAt]);
    expect(after.unanswered).toContain('its API does not answer');
    expect(after.askedAt > before.askedAt).toBe(true);
  });

  it('are none where it has said nothing yet; a dead one is not asked by everybody who looks', async () => {
    cluster.letsIn = false;
    const before = cluster.turnedAway();
    const nodes = looks({ within: seconds(1), goodFor: seconds(60) });
    const first = await nodes.of('default', id);
    expect(first).toMatchObject({
      unanswered: 'the bearer token is not valid there',
      seenAt: null,
      addressHolder: null,
      nodes: [],
    });
    expect(await nodes.of('default', id)).toEqual(first);
    // Its nodes and its version, once.
    expect(cluster.turnedAway() - before).toBeLessThanOrEqual(2);
  });

  it('are told up to 500 of 1,200, page by page, and that there are more', async () => {
    cluster.nodes = Array.from({ length: 1_200 }, (_, n) => node(`worker${n}`, 'True'));
    const { nodes, hasMore, unanswered } = await looks({ within: seconds(20), goodFor: seconds(1) }).of('default', id);
    expect([nodes.length, hasMore, unanswered]).toEqual([500, true, null]);
    expect(cluster.paths.filter((path) => path === '/api/v1/nodes')).toHaveLength(5);
  });
});
