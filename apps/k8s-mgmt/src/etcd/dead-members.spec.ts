import { millis } from '@windlass/foundation';
import { FakeHosts } from '@windlass/mgmt-driver/testing';
import { hostRun } from '@windlass/mgmt-driver/testing';
import { describe, expect, it } from 'vitest';
import { KubeCluster } from '../cluster/kube-cluster.js';
import { FakeEtcd } from '../testing/fake-etcd.js';
import { takeOutDead } from './dead-members.js';
import { Etcd } from './etcd.js';

const address = (n: number): string => `10.10.0.${n}`;

/** Five masters, asked through the last three; all nodes are Ready unless they are named. */
function world(notReady: number[], { listed = [1, 2, 3, 4, 5] } = {}) {
  const hosts = new FakeHosts();
  const etcd = new FakeEtcd(hosts);
  for (const n of [1, 2, 3, 4, 5]) etcd.add(`server-${n}`, address(n));
  const nodes = listed.map((n) => ({
    metadata: { name: `master${n}` },
    status: {
      conditions: [{ type: 'Ready', status: notReady.includes(n) ? 'Unknown' : 'True' }],
      addresses: [{ type: 'InternalIP', address: address(n) }],
    },
  }));
  hosts.on(/^kubectl .*get nodes/, { stdout: JSON.stringify({ items: nodes }) });
  const masters = [3, 4, 5].map((n) => {
    const target = { resourceId: `server-${n}`, address: address(n), username: 'ubuntu' };
    return { host: hosts.host(target, hostRun()), address: address(n) };
  });
  const asked = {
    etcd: new Etcd(masters, { patience: millis(50) }),
    cluster: new KubeCluster(masters),
    run: { signal: new AbortController().signal },
  };
  return { etcd, takeOut: () => takeOutDead(asked, millis(200)) };
}

describe('members of etcd that do not answer when a master is to join', () => {
  it('leave where the cluster says that their nodes are silent, too', async () => {
    const { etcd, takeOut } = world([1, 2]);
    etcd.kill(address(1));
    etcd.kill(address(2));
    await takeOut();
    expect(etcd.voters).toEqual([3, 4, 5].map(address));
  });

  it('stay where their nodes are Ready: the next who joins is told whom to mend', async () => {
    const { etcd, takeOut } = world([]);
    etcd.kill(address(1));
    await expect(takeOut()).rejects.toMatchObject({
      name: 'TransientError',
      code: 'etcd.silent-member',
      message: expect.stringMatching(/at 10\.10\.0\.1 does not answer.*heal it first/) as string,
    });
    expect(etcd.voters).toHaveLength(5);
  });

  it('leave after the time of an election where no node has their address', async () => {
    const { etcd, takeOut } = world([], { listed: [2, 3, 4, 5] });
    etcd.kill(address(1));
    await takeOut();
    expect(etcd.voters).toEqual([2, 3, 4, 5].map(address));
  });

  it('are nobody where all answer: nothing is done', async () => {
    const { etcd, takeOut } = world([1]);
    await takeOut();
    expect(etcd.voters).toHaveLength(5);
  });
});
