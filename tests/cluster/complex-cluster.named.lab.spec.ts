import { healed, INSTANCE } from '@windlass/k8s-mgmt/testing';
import { clusterVimId } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ComplexLab, nodeName } from './support/complex-lab.js';

describe('a cluster of three masters, by the built-in actions', () => {
  let cluster: ComplexLab;

  beforeAll(async () => {
    cluster = await ComplexLab.start(1);
  });
  afterAll(() => cluster.end());

  it('stands after the plan: the API at the virtual address, etcd with three voters, every node Ready, the VIM registered there', async () => {
    await cluster.make();
    for (const master of cluster.masters) await cluster.comesWhole(master);
    expect(await cluster.members()).toEqual(['master10 false', 'master11 false', 'master12 false']);
    const { vims, vip } = cluster.lab;
    expect(vims.vims.get(clusterVimId(INSTANCE))?.auth_url).toBe(`https://${vip ?? ''}:16443`);
  });

  it('finds every step done when it is asked again', async () => {
    const { runner } = cluster.lab;
    for (const step of runner.steps) {
      const action = runner.action(step.id);
      const there = await action.check?.(runner.runOf(step.id, { epoch: 5, attemptEpoch: 5 }));
      if (action.check !== undefined) expect(there, step.id).not.toBe(false);
    }
  });

  it('heals a master whose kubelet is dead, the holder of the address too, while the API answers; the others are not made anew', async () => {
    const holder = await cluster.holder();
    const survivor = cluster.masters.find((each) => each !== holder)!;
    await cluster.lab.fleet.exec(holder.resourceId, ['systemctl', 'kill', '--signal=KILL', 'kubelet']);
    await cluster.operate(healed('heal_start', [holder.id]));
    expect(await cluster.rows(survivor)).toHaveLength(3);
    expect(await cluster.members(survivor)).toHaveLength(2);
    await cluster.replace(holder);
    await cluster.operate(healed('heal_end', [holder.id]));
    await cluster.comesWhole(survivor);
    expect(await cluster.members(survivor)).toEqual(cluster.wholeMembers);
  });

  it('grows to five masters and shrinks to three, the holder of the address among those that leave', async () => {
    const came = [await cluster.lab.boot('debian-12', 'master'), await cluster.lab.boot('debian-12', 'master')];
    await cluster.scale('scale_end', came, 'master_instance');
    expect(cluster.masters).toHaveLength(5);
    await cluster.comesWhole();
    expect(await cluster.members(came[1])).toEqual(cluster.wholeMembers);
    const holder = await cluster.holder();
    const other = cluster.masters.find((each) => each !== holder && each !== came[1])!;
    await cluster.scale('scale_start', [holder, other], 'master_instance');
    const survivor = cluster.masters[0]!;
    await cluster.comesWhole(survivor);
    expect(await cluster.members(survivor)).toEqual(cluster.wholeMembers);
    expect(cluster.masters).toContain(await cluster.holder());
    const { stdout } = await cluster.lab.fleet.exec(survivor.resourceId, ['cat', '/etc/haproxy/haproxy.cfg']);
    const backends = Array.from(stdout.matchAll(/^\s*server (\S+) /gm), ([, name]) => name);
    expect([...new Set(backends)].sort()).toEqual(cluster.masters.map(nodeName).sort());
  });
});
