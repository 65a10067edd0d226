import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MastersLab, type Kind, type Master } from './masters-lab.js';

/** What stands in the journal of a step: masters to ask, whoever is to go. */
const asking = (masters: readonly Master[], more: JsonObject = {}): JsonObject => ({
  masters: masters.map(({ input }) => input),
  ...more,
});
const leaving = ({ name, address }: Master): JsonObject => ({ name, address });

/** Masters that come and go, with stand-ins or a real Kubernetes: the same must hold of both. */
export function mastersSuite(kind: Kind): void {
  describe(`masters of a cluster that come and go (${kind})`, () => {
    let lab: MastersLab;
    let masters: [Master, Master, Master];

    beforeAll(async () => {
      lab = await MastersLab.start(kind, 3);
      masters = lab.masters as [Master, Master, Master];
      await lab.begin();
    });
    afterAll(() => lab.end());

    const others = (of: Master): Master[] => masters.filter((each) => each !== of);
    const secrets = (through: Master): Promise<string> => lab.kubectl(through, '-n kube-system get secrets -o name');
    const ready = async (through: Master): Promise<string[]> =>
      (await lab.kubectl(through, 'get nodes --no-headers'))
        .split('\n')
        .map((row) => row.split(/\s+/).slice(0, 2).join(' '))
        .sort();
    const allReady = (through: Master, ...names: Master[]): Promise<unknown> =>
      lab.until('the nodes to be Ready', async () =>
        JSON.stringify(await ready(through)) === JSON.stringify(names.map(({ name }) => `${name} Ready`).sort())
          ? true
          : undefined,
      );

    /** A worker lets go while kubeadm runs, and another one takes the step over. */
    const joinWithTheServiceStopped = async (master: Master, input: JsonObject): Promise<void> => {
      const detached = new AbortController();
      const run = lab.runOf('join-control-plane', master, input, detached.signal);
      const first = lab.apply('join-control-plane', run);
      const joins = async (): Promise<boolean> => (await lab.on(master, 'pgrep', '-f', 'kubeadm.* join')).stdout !== '';
      await lab.until('kubeadm join to run', async () => ((await joins()) ? true : undefined));
      detached.abort(new Error('the service stops'));
      await expect(first).rejects.toThrow('the service stops');
      const told = lab.lines.length;
      await lab.apply('join-control-plane', lab.takenOver(run));
      expect(lab.lines.slice(told).join('\n')).not.toContain('clearing away');
    };

    it('join one at a time, vote, answer by themselves, and leave neither key nor token behind', async () => {
      const [first, second, third] = masters;
      for (const [joins, living] of [
        [second, [first]],
        [third, [second, first]],
      ] as const) {
        expect(await lab.isDone('join-control-plane', joins, asking(living)), 'before').toBe(false);
        const began = performance.now();
        await joinWithTheServiceStopped(joins, asking(living));
        process.stderr.write(`${joins.name} joined in ${((performance.now() - began) / 1_000).toFixed(1)} s\n`);
        expect(await lab.isDone('join-control-plane', joins, asking(living)), 'after').toBe(true);
      }
      expect(await lab.members(first)).toEqual(masters.map(({ address }) => address).sort());
      for (const master of masters) expect(await lab.kubectl(master, 'get --raw=/readyz')).toBe('ok');
      await allReady(second, ...masters);
      const left = (await secrets(first)).split('\n').filter((name) => /kubeadm-certs|bootstrap-token/.test(name));
      // The installation's own, which revoke-join-tokens takes back.
      expect(left).toHaveLength(1);
      expect(await lab.said(third, 'stat -c "%a %U" /home/ubuntu/.kube/config')).toBe('600 ubuntu');
      const sans = await lab.said(third, 'openssl x509 -in /etc/kubernetes/pki/apiserver.crt -noout -text');
      for (const { address } of [first, third]) expect(sans).toContain(`IP Address:${address}`);
    });

    it('leave with the lead handed over, though kubelet and container runtime of the leader are dead', async () => {
      const [first, second, third] = masters;
      await lab.lead(third, first);
      await lab.said(third, 'systemctl stop kubelet containerd');
      expect(await lab.leader(first)).toBe(third.address);
      const output = await lab.perform('leave-etcd', first, asking(others(third), { leaving: leaving(third) }));
      expect(output).toEqual({
        did: [
          expect.stringContaining(`etcd's leader was moved from ${third.address}`) as string,
          expect.stringContaining(`the member at ${third.address} was taken out of etcd`) as string,
        ],
      });
      expect(await lab.members(second)).toEqual([first.address, second.address].sort());
      await lab.said(third, 'systemctl start containerd kubelet');
    });

    it('join anew over what an attempt has left that died: files, a node, a member that was announced and never started', async () => {
      const [first, , third] = masters;
      await lab.etcdctl(first, `member add ${third.name} --learner --peer-urls=https://${third.address}:2380`);
      expect(await lab.members(first)).toContain(`${third.address} unstarted learner`);
      expect(await lab.isDone('join-control-plane', third, asking(others(third)))).toBe(false);
      await lab.perform('join-control-plane', third, asking(others(third)));
      expect(await lab.members(first)).toEqual(masters.map(({ address }) => address).sort());
      await allReady(first, ...masters);
    });

    it('that lose their machine hold the others back from leaving, are taken out without it, and join anew in its place', async () => {
      const [first, second, third] = masters;
      await lab.fleet.destroy(second.serverId);
      const look = (leave: Master[], living: Master[], replaced: boolean): Promise<unknown> =>
        lab.perform('check-quorum', first, asking(living, { leaving: leave.map(leaving), replaced }));
      const refused = (message: string) => ({ code: 'etcd.quorum', message });
      await expect(look([third], [first], false)).rejects.toMatchObject(
        refused(
          `without ${third.address}, 1 of 2 voting members would answer, and 2 must: bring ${second.address} back first, or take it out instead`,
        ),
      );
      await expect(look([third], [first], true)).rejects.toMatchObject(
        refused(
          `without ${third.address}, 1 of 3 voting members would answer, and 2 must until others have joined: heal ${second.address} first, or bring it back`,
        ),
      );
      expect(await look([second], [third, first], true)).toMatchObject({ why: expect.stringContaining('2 of 3') as string });
      await lab.perform('leave-etcd', first, asking([third, first], { leaving: leaving(second) }));
      expect(await lab.members(third)).toEqual([first.address, third.address].sort());
      await expect(look([third], [first, third], false), 'of two that answer one may go').resolves.toBeDefined();
      const anew = lab.replaced(second);
      await lab.boot(anew);
      await lab.perform('join-control-plane', anew, asking([third, first]));
      expect(await lab.isDone('join-control-plane', anew, asking([third, first]))).toBe(true);
      masters[1] = anew;
      await allReady(third, ...masters);
    });

    it('are undone: out of etcd and of the cluster, and their node is as before', async () => {
      const [first, second, third] = masters;
      await lab.undo('join-control-plane', third, asking([second, first]));
      expect(await lab.members(first)).toEqual([first.address, second.address].sort());
      await allReady(first, first, second);
      expect(
        (await lab.on(third, 'ls', '/etc/kubernetes/admin.conf', '/var/lib/etcd/member', '/home/ubuntu/.kube/config')).stdout,
      ).toBe('');
    });
  });
}
