import { readFileSync } from 'node:fs';
import { healed } from '@windlass/k8s-mgmt/testing';
import { clusterVimId, type Vnfc } from '@windlass/mgmt-driver';
import { INSTANCE } from '@windlass/k8s-mgmt/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ComplexLab, nodeName } from './support/complex-lab.js';

const script = readFileSync(new URL('./contract-install.sh', import.meta.url));

describe('a cluster of three masters, by a packaged script of the contract', () => {
  let cluster: ComplexLab;

  beforeAll(async () => {
    cluster = await ComplexLab.start(1, { script });
  });
  afterAll(() => cluster.end());

  const fileOn = async ({ resourceId }: Vnfc, path: string): Promise<string> =>
    (await cluster.lab.fleet.exec(resourceId, ['cat', path])).stdout;
  const addressOf = ({ cps }: Vnfc): string => cps[0]!.addresses[0]!;
  const backEnds = async (master: Vnfc): Promise<string[]> =>
    Array.from(
      (await fileOn(master, '/etc/haproxy/haproxy.cfg')).matchAll(/^ *server (\S+) \S+:6443 check$/gm),
      ([, name = '']) => name,
    ).sort();
  const tokens = async (): Promise<string[]> => {
    const listed = await cluster.kubectl(cluster.masters[0]!, '-n', 'kube-system', 'get', 'secrets', '-o', 'name');
    return listed.split('\n').filter((line) => /bootstrap-token|kubeadm-certs/.test(line));
  };

  it('stands when the script has run on each: three voters, every node Ready, the VIM registered at the address that masters share', async () => {
    await cluster.make();
    await cluster.comesWhole();
    expect(await cluster.members()).toEqual(cluster.wholeMembers);
    const { vims, vip } = cluster.lab;
    expect(vims.vims.get(clusterVimId(INSTANCE))?.auth_url).toBe(`https://${vip ?? ''}:16443`);
    expect(await tokens()).toEqual([]);
  });

  it('has the master healed that holds the address, its kubelet dead: told of those that stay first, and served by them again', async () => {
    const holder = await cluster.holder();
    const others = cluster.masters.filter((each) => each !== holder);
    await cluster.lab.fleet.exec(holder.resourceId, ['systemctl', 'kill', '--signal=KILL', 'kubelet']);
    await cluster.operate(healed('heal_start', [holder.id]));
    expect(await cluster.members(others[0])).toHaveLength(2);
    for (const each of others) expect(await backEnds(each)).toEqual(others.map(nodeName).sort());
    await cluster.replace(holder);
    await cluster.operate(healed('heal_end', [holder.id]));
    const fresh = cluster.masters.find(({ id }) => id === holder.id)!;
    await cluster.comesWhole(others[0]);
    expect(await cluster.members(fresh)).toEqual(cluster.wholeMembers);
    for (const each of cluster.masters) expect(await backEnds(each)).toEqual(cluster.masters.map(nodeName).sort());
    expect(await fileOn(fresh, '/var/log/install-arguments')).toContain(
      `-m ${[...others, fresh].map(addressOf).join(',')} -i ${cluster.lab.vip ?? ''} `,
    );
    expect(await tokens()).toEqual([]);
  });

  it('gets a worker, which joins at the shared address, and has one healed', async () => {
    const came = await cluster.lab.boot('debian-12');
    await cluster.scale('scale_end', [came], 'worker_instance');
    await cluster.comesWhole();
    await cluster.operate(healed('heal_start', [came.id]));
    await cluster.replace(came);
    await cluster.operate(healed('heal_end', [came.id]));
    await cluster.comesWhole();
    expect(await tokens()).toEqual([]);
  });
});
