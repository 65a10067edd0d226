import { minutes } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RestCluster, type Machine } from './support/rest-cluster.js';

const WITHIN = minutes(20);

describe('a cluster whose machines are kept on hosts apart, by requests alone', () => {
  let cluster: RestCluster;
  let other: RestCluster;

  beforeAll(async () => {
    cluster = await RestCluster.start('podaffinity', { showHost: true });
    // Of a project that never had a server nobody can tell whether hosts are shown to its user.
    other = await cluster.another('complex', 'another_cluster');
    await other.instantiate();
  }, WITHIN);
  afterAll(() => cluster.close());

  /** Hosts of machines of a role, each once. */
  const hosts = async (role: Machine['role']): Promise<string[]> => {
    const machines = await cluster.of(role);
    return [...new Set(machines.map(({ serverId }) => cluster.hostOf(serverId)))].sort();
  };

  it(
    'is made, every master on another host, and every worker, which is labelled with it',
    async () => {
      await cluster.instantiate();
      await cluster.agrees(3, 2, { labelled: true });
      await other.agrees(3, 2, { labelled: true });
      expect(await hosts('master')).toEqual(['compute01', 'compute02', 'compute03']);
      expect(await hosts('worker')).toHaveLength(2);
    },
    WITHIN,
  );

  it(
    'is one of two in the project whose nodes are alike, and goes on when the other goes',
    async () => {
      await other.terminate(['kubernetes_vim_podaffinity']);
      await cluster.agrees(3, 2, { labelled: true });
    },
    WITHIN,
  );

  it(
    'has a worker come, which is labelled, and none more than there are hosts',
    async () => {
      await cluster.scale('worker', 'SCALE_OUT');
      await cluster.agrees(3, 3, { labelled: true });
      expect(await hosts('worker')).toEqual(['compute01', 'compute02', 'compute03']);
      const failed = await cluster.operation('scale', { type: 'SCALE_OUT', aspectId: 'worker_instance' });
      expect(failed.opOcc).toMatchObject({ operationState: 'FAILED_TEMP' });
      expect(JSON.stringify(failed.opOcc.error)).toMatch(/No valid host/);
      await cluster.rolledBack(failed);
      await cluster.agrees(3, 3, { labelled: true });
      await cluster.scale('worker', 'SCALE_IN');
      await cluster.agrees(3, 2, { labelled: true });
    },
    WITHIN,
  );

  it(
    'keeps labels and hosts apart when a worker and a master are healed',
    async () => {
      const [worker] = await cluster.of('worker');
      await cluster.heal([worker!]);
      await cluster.agrees(3, 2, { labelled: true });
      expect(await hosts('worker')).toHaveLength(2);
      const [master] = await cluster.of('master');
      await cluster.heal([master!]);
      await cluster.agrees(3, 2, { labelled: true });
      expect(await hosts('master')).toHaveLength(3);
    },
    WITHIN,
  );

  it(
    'is terminated to nothing',
    async () => {
      await cluster.terminate();
    },
    WITHIN,
  );
});

describe('a cloud that tells ordinary users no hosts', () => {
  let cluster: RestCluster;

  beforeAll(async () => {
    cluster = await RestCluster.start('podaffinity');
  });
  afterAll(() => cluster.close());

  it(
    'has the cluster refused before anything is made, with what an administrator can do',
    async () => {
      const { opOcc } = await cluster.operation('instantiate', cluster.request);
      expect(opOcc).toMatchObject({ operationState: 'ROLLED_BACK' });
      expect(JSON.stringify(opOcc.error)).toMatch(/os_compute_api:os-extended-server-attributes/);
      await cluster.leftNothing();
    },
    WITHIN,
  );
});
