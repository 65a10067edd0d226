import { spawnSync } from 'node:child_process';
import type { JsonObject } from '@windlass/foundation';
import type { HostFleet } from '@windlass/lab';
import { clusterVimId } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byKeyAlone, INSTANCE, KEY, PARAMS } from '@windlass/k8s-mgmt/testing';
import { nodesCome } from '../support/nodes-come.js';
import { labCluster } from './support/lab-cluster.js';

const KUBECTL = ['kubectl', '--kubeconfig=/home/ubuntu/.kube/config'];
const LOGIN = 'proxy-user:proxy-password@';

/** Logged in to by an encrypted key: no node has a password, for the login or for sudo. The lab's packages come by http; images are pulled by https, through the proxy. */
function proxiedParams({ proxyUrl }: HostFleet): JsonObject {
  const params = byKeyAlone();
  const cluster = params[PARAMS] as JsonObject;
  // As the driver makes it of a guide's /24 for a flavour of seven nodes.
  Object.assign(cluster.master_node as JsonObject, { pod_cidr: '192.168.3.0/24', pod_node_prefix: 27 });
  cluster.proxy = { https_proxy: proxyUrl.replace('//', `//${LOGIN}`) };
  return params;
}

describe('a cluster of lab VMs, by the built-in actions', () => {
  let lab: Awaited<ReturnType<typeof labCluster>>;

  beforeAll(async () => {
    lab = await labCluster({
      params: proxiedParams,
      publicKey: KEY.publicKey,
      images: ['debian-12', 'ubuntu-22.04', 'ubuntu-24.04'],
    });
  });
  afterAll(() => lab.end());

  const master = (...argv: string[]) => lab.fleet.exec('server-master-0', argv);
  const rows = async (kubectl: readonly string[]): Promise<string[]> => {
    const { status, stdout, stderr } = await master(...kubectl, 'get', 'nodes', '--no-headers');
    if (status !== 0) throw new Error(`kubectl get nodes: exit status ${String(status)}: ${stderr}`);
    return stdout.trim().split('\n').map((line) => line.split(/\s+/).slice(0, 2).join(' ')).sort(); // prettier-ignore
  };

  it('stands after the plan: every node Ready, by the real kubectl, and the VIM registered', async () => {
    await lab.runner.run().catch((error: unknown) => {
      process.stderr.write(`${lab.lines.slice(-40).join('\n')}\n`);
      throw error;
    });
    process.stderr.write(`${[...lab.runner.seconds].map(([step, seconds]) => `${step} ${seconds.toFixed(1)} s`).join('\n')}\n`);
    await nodesCome(() => rows(KUBECTL), ['master10 Ready', 'worker11 Ready', 'worker12 Ready']);
    const ranges = await master(...KUBECTL, 'get', 'nodes', '-o', 'jsonpath={.items[*].spec.podCIDR}');
    expect(ranges.stdout.split(' ').sort()).toEqual(['192.168.3.0/27', '192.168.3.32/27', '192.168.3.64/27']);
    expect(lab.vims.vims.get(clusterVimId(INSTANCE))?.auth_cred.ssl_ca_cert).toContain('BEGIN CERTIFICATE');
  });

  it('has a snapshot of its control plane kept, and none lies on the master', async () => {
    expect(lab.runner.outputs.get('keep-snapshot')).toBeUndefined();
    const listed = spawnSync('tar', ['--list', '--gzip'], { input: lab.vims.snapshots[0], encoding: 'utf8' });
    for (const name of ['windlass-snapshot.db', 'etc/kubernetes/pki/ca.key', 'etc/kubernetes/pki/sa.key'])
      expect(listed.stdout.split('\n'), listed.stderr).toContain(name);
    const left = await master('sh', '-c', 'ls /var/lib | grep -c windlass-snapshot; ls /var/lib/etcd');
    expect(left.stdout).toBe('0\nmember\n');
  });

  it('has the password of the proxies in nothing that kubeadm or the cluster keeps, and in containerd’s own file for root', async () => {
    const kubectl = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf', 'get', '-A', '-o', 'json'];
    const objects = await master(...kubectl, 'pods,daemonsets.apps,deployments.apps,configmaps,secrets');
    const manifests = await master('sh', '-c', 'cat /etc/kubernetes/manifests/*.yaml /etc/kubernetes/*.conf');
    for (const { stdout } of [objects, manifests]) {
      expect(stdout).not.toMatch(/proxy-password|https_proxy/i);
      expect(stdout).toMatch(/NO_PROXY/);
    }
    const file = await master(
      'sh',
      '-c',
      'stat -c "%a %U" /etc/containerd/windlass-proxy.env; cat /etc/containerd/windlass-proxy.env',
    );
    expect(file.stdout).toMatch(/^600 root\n/);
    const proxy = lab.fleet.proxyUrl.replace('//', `//${LOGIN}`);
    expect(file.stdout).toContain(`HTTPS_PROXY=${proxy}\n`);
    const containerd = await master('sh', '-c', 'tr "\\0" "\\n" < /proc/$(systemctl show -p MainPID --value containerd)/environ');
    expect(containerd.stdout).toContain(`HTTPS_PROXY=${proxy}\n`);
  });

  it('finds every step done when it is asked again', async () => {
    for (const step of lab.runner.steps) {
      const action = lab.runner.action(step.id);
      const there = await action.check?.(lab.runner.runOf(step.id, { epoch: 5, attemptEpoch: 5 }));
      if (action.check !== undefined) expect(there, step.id).not.toBe(false);
    }
  });

  it('leaves no token behind that a stranger could join with', async () => {
    const secrets = await master(
      'kubectl',
      '--kubeconfig=/etc/kubernetes/admin.conf',
      '-n',
      'kube-system',
      'get',
      'secrets',
      '-o',
      'name',
    );
    expect(secrets.stdout.split('\n').filter((line) => line.includes('bootstrap-token'))).toEqual([]);
  });

  it('lets a worker go and come again, though the service stops in the middle of the join', async () => {
    const id = 'join-worker:worker12';
    const action = lab.runner.action(id);
    await action.undo?.(lab.runner.runOf(id, { phase: 'undo', epoch: 6, attemptEpoch: 6 }));
    expect(
      (await master('kubectl', '--kubeconfig=/etc/kubernetes/admin.conf', 'get', 'nodes', '-o', 'name')).stdout,
    ).not.toContain('worker12');
    expect(await action.check?.(lab.runner.runOf(id, { epoch: 7, attemptEpoch: 7 }))).toBe(false);
    const told = lab.lines.length;
    const detached = new AbortController();
    const first = action.apply(lab.runner.runOf(id, { epoch: 7, attemptEpoch: 7, signal: detached.signal }));
    const joins = async () => (await lab.fleet.exec('server-worker-2', ['pgrep', '-f', 'kubeadm.cjs join'])).stdout !== '';
    await expect.poll(joins, { timeout: 60_000, interval: 20 }).toBe(true);
    detached.abort(new Error('the service stops'));
    await expect(first).rejects.toThrow('the service stops');
    await action.apply(lab.runner.runOf(id, { epoch: 8, attemptEpoch: 7, resumed: true }));
    // A second join would have found the first one's files.
    expect(lab.lines.slice(told).join('\n')).not.toContain('clearing away');
    expect(await action.check?.(lab.runner.runOf(id, { epoch: 9, attemptEpoch: 9 }))).toBe(true);
    const verified = await lab.runner
      .action('verify-cluster')
      .apply(lab.runner.runOf('verify-cluster', { epoch: 10, attemptEpoch: 10 }));
    expect(verified).toMatchObject({ nodes: expect.arrayContaining(['worker12']) as string[] });
  });

  it('has attempts that did not end cleared away, and what is made anew gets Ready: the master and a worker', async () => {
    const again = (id: string, epoch: number) =>
      lab.runner.action(id).apply(lab.runner.runOf(id, { epoch, attemptEpoch: epoch }));
    const servers = ['server-master-0', 'server-worker-2'];
    const inside = (...command: string[]) => Promise.all(servers.map((server) => lab.fleet.exec(server, command)));
    await inside('touch', '/etc/kubernetes/pki/of-an-earlier-attempt');
    // What stands on both nodes is, to kubeadm, the files of an earlier attempt.
    await again('init-control-plane:master10', 11);
    await again('install-network', 12);
    await again('join-worker:worker12', 13);
    const left = await inside('find', '/etc/kubernetes/pki', '-name', 'of-an-earlier-attempt');
    expect(left).toMatchObject([{ stdout: '' }, { stdout: '' }]);
    const asAdministrator = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf'];
    await expect
      .poll(() => rows(asAdministrator), { timeout: 120_000, interval: 500 })
      .toEqual(['master10 Ready', 'worker12 Ready']);
  });
});
