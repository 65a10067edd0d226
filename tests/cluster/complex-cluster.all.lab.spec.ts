import { healed, PARAMS, plainParams } from '@windlass/k8s-mgmt/testing';
import type { JsonObject } from '@windlass/foundation';
import { clusterVimId, type Vnfc } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INSTANCE } from '@windlass/k8s-mgmt/testing';
import { labCluster } from './support/lab-cluster.js';

const KUBECTL = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf'];

function complexParams(): JsonObject {
  const params = plainParams();
  (params[PARAMS] as Record<string, JsonObject>).master_node!.cluster_cp_name = 'vip_CP';
  return params;
}

describe('a cluster of three masters, by the built-in actions', () => {
  let lab: Awaited<ReturnType<typeof labCluster>>;

  beforeAll(async () => {
    lab = await labCluster({ params: complexParams(), images: Array.from({ length: 4 }, () => 'debian-12'), masters: 3 });
  });
  afterAll(() => lab.end());

  const run = async (runner: { run(): Promise<void> }): Promise<void> => {
    await runner.run().catch((error: unknown) => {
      process.stderr.write(`${lab.lines.slice(-40).join('\n')}\n`);
      throw error;
    });
  };

  /** By the API at the virtual address, whoever has it. */
  const rows = async (from = 'server-master-0'): Promise<string[]> => {
    const { stdout } = await lab.fleet.exec(from, [...KUBECTL, 'get', 'nodes', '--no-headers']);
    return stdout.trim().split('\n').map((line) => line.split(/\s+/).slice(0, 3).join(' ')).sort(); // prettier-ignore
  };

  /** Names of etcd's members, through a master. */
  const members = async (from: string): Promise<string[]> => {
    const list =
      'crictl exec $(crictl ps -q --name etcd --state Running | head -n 1) etcdctl --cacert=/etc/kubernetes/pki/etcd/ca.crt --cert=/etc/kubernetes/pki/etcd/server.crt --key=/etc/kubernetes/pki/etcd/server.key member list -w simple';
    const { stdout } = await lab.fleet.exec(from, ['bash', '-c', list]);
    return stdout.trim().split('\n').map((line) => `${line.split(', ')[2] ?? ''} ${line.split(', ')[5] ?? ''}`).sort(); // prettier-ignore
  };

  /** Who has the virtual address. */
  const holders = async (vnfcs: readonly Vnfc[]): Promise<Vnfc[]> => {
    const look = `ip -4 addr | grep -c ' ${lab.vip ?? ''}/' || true`;
    const counts = await Promise.all(vnfcs.map(({ resourceId }) => lab.fleet.exec(resourceId, ['sh', '-c', look])));
    return vnfcs.filter((_, index) => counts[index]!.stdout.trim() === '1');
  };

  const ALL = [
    'master10 Ready control-plane',
    'master11 Ready control-plane',
    'master12 Ready control-plane',
    'worker13 Ready <none>',
  ];

  it('stands after the plan: the API at the virtual address, etcd with three voters, every node Ready, the VIM registered there', async () => {
    await run(lab.runner);
    process.stderr.write(`${[...lab.runner.seconds].map(([step, seconds]) => `${step} ${seconds.toFixed(1)} s`).join('\n')}\n`);
    expect(await rows()).toEqual(ALL);
    expect(await rows('server-master-2')).toEqual(ALL);
    expect(await members('server-master-1')).toEqual(['master10 false', 'master11 false', 'master12 false']);
    expect(lab.vims.vims.get(clusterVimId(INSTANCE))?.auth_url).toBe(`https://${lab.vip ?? ''}:16443`);
  });

  it('finds every step done when it is asked again', async () => {
    for (const step of lab.runner.steps) {
      const action = lab.runner.action(step.id);
      const there = await action.check?.(lab.runner.runOf(step.id, { epoch: 5, attemptEpoch: 5 }));
      if (action.check !== undefined) expect(there, step.id).not.toBe(false);
    }
  });

  it('heals a master whose kubelet is dead, the holder of the address too, while the API answers; the others are not made anew', async () => {
    const at = ['server-master-0', 'server-master-1', 'server-master-2'];
    const holds = await Promise.all(
      at.map((server) => lab.fleet.exec(server, ['sh', '-c', `ip -4 addr | grep -c ' ${lab.vip ?? ''}/' || true`])),
    );
    const index = holds.findIndex(({ stdout }) => stdout.trim() === '1');
    const [server, id] = [`server-master-${index}`, `master-${index}`];
    const survivor = `server-master-${(index + 1) % 3}`;
    const name = `master${10 + index}`;
    await lab.fleet.exec(server, ['systemctl', 'kill', '--signal=KILL', 'kubelet']);
    await run(lab.operation(healed('heal_start', [id])).runner);
    expect(await rows(survivor)).toEqual(ALL.filter((row) => !row.startsWith(name)));
    expect(await members(survivor)).toHaveLength(2);
    // As Heat replaces a server: another disk, the same port.
    await lab.replace('debian-12', index);
    await run(lab.operation(healed('heal_end', [id])).runner);
    expect(await rows(survivor)).toEqual(ALL);
    expect(await members(survivor)).toEqual(['master10 false', 'master11 false', 'master12 false']);
  });

  it('grows to five masters and shrinks to three, the holder of the address among those that leave, while the API answers', async () => {
    const came = [await lab.boot('debian-12', 'master'), await lab.boot('debian-12', 'master')];
    const affected = (changeType: 'ADDED' | 'REMOVED', vnfcs: readonly Vnfc[]) => ({
      request: { aspectId: 'master_instance', numberOfSteps: 2 },
      affectedVnfcs: vnfcs.map((vnfc) => ({ changeType, vnfc })),
    });
    await run(lab.operation({ hook: 'scale_end', ...affected('ADDED', came) }).runner);
    const five = [...ALL, 'master14 Ready control-plane', 'master15 Ready control-plane'].sort();
    expect(await rows()).toEqual(five);
    expect(await members('server-master-5')).toEqual(
      five.filter((row) => row.startsWith('master')).map((row) => `${row.split(' ')[0] ?? ''} false`),
    );
    const masters = lab.vnfcs.filter(({ resourceId }) => resourceId.includes('master'));
    const holder = (await holders(masters))[0]!;
    const leaving = [holder, masters.find((each) => each !== holder && each !== came[1])!];
    await run(lab.operation({ hook: 'scale_start', ...affected('REMOVED', leaving) }).runner);
    for (const { resourceId } of leaving) await lab.fleet.destroy(resourceId);
    const stay = masters.filter((each) => !leaving.includes(each));
    const survivor = stay[0]!.resourceId;
    const left = five.filter((row) =>
      leaving.every(({ cps }) => !row.startsWith(`master${cps[0]!.addresses[0]!.split('.')[3] ?? ''} `)),
    );
    expect(await rows(survivor)).toEqual(left);
    expect(await members(survivor)).toHaveLength(3);
    expect(await holders(stay)).toHaveLength(1);
    const backends = await lab.fleet.exec(survivor, ['grep', '-c', '^ *server ', '/etc/haproxy/haproxy.cfg']);
    expect(backends.stdout.trim()).toBe('3');
  });
});
