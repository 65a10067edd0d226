import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { ScriptBench } from '@windlass/driver-kit/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { READ_ARCHIVE, RESTORE_CONTROL_PLANE, SUM_OF_ARCHIVE, TAKE_SNAPSHOT } from './scripts.js';

const ADDRESS = '10.10.0.24';
const PKI = 'etc/kubernetes/pki';
const MANIFESTS = 'etc/kubernetes/manifests';
const LEAVES = ['apiserver', 'apiserver-etcd-client', 'front-proxy-client', 'etcd/server', 'etcd/healthcheck-client'];

let node: ScriptBench;

/** What etcd's image has: programs that say what they were called with, and make a data folder. */
const IMAGE = `
  case "$*" in *--help*) echo "$HELP"; exit 0 ;; esac
  printf '%s\\n' "etcdutl $*" >> "$CALLS"
  [ -s "$3" ] || exit 4
  while [ $# -gt 0 ]; do if [ "$1" = --data-dir ]; then mkdir -p "$2/member"; echo restored > "$2/member/db"; fi; shift; done`;

/** A master by kubeadm, with etcd's programs in a folder in the place of its image. */
function master(help = '--bump-revision uint'): ScriptBench {
  const bench = new ScriptBench();
  const at = (name: string): string => bench.at(name);
  for (const name of ['ca', 'front-proxy-ca', 'etcd/ca', 'sa']) bench.file(`${PKI}/${name}.key`, `key of ${name}`);
  for (const name of ['ca', 'front-proxy-ca', 'etcd/ca']) bench.file(`${PKI}/${name}.crt`, `certificate of ${name}`);
  bench.file(`${PKI}/sa.pub`, 'public key of sa');
  for (const leaf of LEAVES) bench.file(`${PKI}/${leaf}.crt`, 'a leaf').file(`${PKI}/${leaf}.key`, 'a leaf');
  const etcd = ['--name=master24', `--data-dir=${at('var/lib/etcd')}`, `--initial-advertise-peer-urls=https://${ADDRESS}:2380`];
  bench.file(
    `${MANIFESTS}/etcd.yaml`,
    `${etcd.map((flag) => `    - ${flag}`).join('\n')}\n    image: registry.k8s.io/etcd:3.6.4-0\n`,
  );
  const api = [`--advertise-address=${ADDRESS}`, `--encryption-provider-config=${at('etc/kubernetes/enc/encryption.yaml')}`];
  bench.file(`${MANIFESTS}/kube-apiserver.yaml`, `${api.map((flag) => `    - ${flag}`).join('\n')}\n`);
  for (const part of ['kube-controller-manager', 'kube-scheduler']) bench.file(`${MANIFESTS}/${part}.yaml`, part);
  bench.file('etc/kubernetes/enc/encryption.yaml', 'how Secrets are encrypted').file('var/lib/etcd/member/db', 'live');
  bench.file('health.sh', 'true').file('save.sh', `echo 'a database' > ${at('var/lib/etcd')}/windlass-snapshot.db`);
  bench.executable('image/usr/local/bin/etcdutl', `HELP='${help}' CALLS=${at('calls')}${IMAGE}`);
  return bench
    .program('openssl', `echo 'the CA'`)
    .program(
      'kubectl',
      `case "$*" in
        *kubeadm-config*) printf 'kind: ClusterConfiguration\\nkubernetesVersion: v1.34.4' ;;
        *kubelet-config*) printf 'kind: KubeletConfiguration\\nmaxPods: 60\\n' ;;
        *"get nodes"*) printf 'master24 ${ADDRESS}\\nworker31 10.10.0.31\\n' ;;
      esac`,
    )
    .program('getent', `echo root:x:0:0::${at('home/root')}:/bin/bash`)
    .program('containerd', `printf '  snapshotter = "native"\\n  snapshotter = ""\\n'`)
    .program('crictl')
    .program(
      'ctr',
      `case "$*" in
        *"images ls"*) echo registry.k8s.io/etcd:3.6.4-0 ;;
        *"images mount"*) to="\${*: -1}"; cp -a ${at('image')}/. "$to" ;;
        *"plugins ls"*) echo 'io.containerd.grpc.v1 cri linux/amd64 ok' ;;
      esac`,
    )
    .program(
      'kubeadm',
      `case "$1" in init) echo admin > ${at('etc/kubernetes/admin.conf')} ;; reset) rm -rf ${at(PKI)} ${at(MANIFESTS)}/* ;; esac`,
    )
    .program('systemctl', 'exit 1')
    .programs('ip');
}

const archive = (): string => node.at('var/lib/windlass-snapshot.tar.gz');
const sum = (): string => createHash('sha256').update(readFileSync(archive())).digest('hex');
const take = () =>
  node.run(TAKE_SNAPSHOT, [node.at('var/lib/etcd'), node.at('health.sh'), node.at('save.sh'), archive(), ADDRESS]);
const restore = (address = ADDRESS, of = sum()) => {
  node.file('machine.yaml', 'kind: InitConfiguration\n');
  return node.run(RESTORE_CONTROL_PLANE, [archive(), of, node.at('machine.yaml'), address, 'root']);
};

/** What another VM has in the master's place. */
function replace(): void {
  for (const name of ['etc/kubernetes', 'var/lib/etcd']) execFileSync('rm', ['-rf', node.at(name)]);
  mkdirSync(node.at('var/lib'), { recursive: true });
}

beforeEach(() => {
  node = master();
});
afterEach(() => node.remove());

describe('a snapshot of which the cluster can be made again', () => {
  it('says so by the CA’s fingerprint, and has what the cluster alone knows before its etcd runs', async () => {
    const { status, stdout, stderr } = await take();
    expect(status, stderr).toBe(0);
    expect(stdout).toContain(`cluster ${createHash('sha256').update('the CA\n').digest('hex')}\n`);
    const read = await node.run(READ_ARCHIVE, [archive()]);
    expect(read, read.stderr).toMatchObject({ status: 0 });
    const configuration = Buffer.from('kind: ClusterConfiguration\nkubernetesVersion: v1.34.4').toString('base64');
    expect(read.stdout.split('\n')).toEqual([
      'name master24',
      `address ${ADDRESS}`,
      `node master24 ${ADDRESS}`,
      'node worker31 10.10.0.31',
      `configuration ${configuration}`,
      '',
    ]);
    expect((await node.run(SUM_OF_ARCHIVE, [archive()])).stdout).toBe(`${sum()}\n`);
    expect((await node.run(SUM_OF_ARCHIVE, [node.at('var/lib/none')])).stdout).toBe('');
  });

  it.each<[string, (bench: ScriptBench) => unknown]>([
    ['the API does not say what the cluster is', (bench) => bench.program('kubectl', 'exit 1')],
    ['a key of an authority is not there: another signs', (bench) => execFileSync('rm', [bench.at(`${PKI}/ca.key`)])],
    ['a file that a flag names is not there', (bench) => execFileSync('rm', [bench.at('etc/kubernetes/enc/encryption.yaml')])],
  ])('is not one where %s: it is kept all the same', async (_why, without) => {
    without(node);
    const { status, stdout } = await take();
    expect(status).toBe(0);
    expect(stdout).not.toContain('cluster ');
    expect(stdout).toMatch(/^snapshot \d+ [0-9a-f]{64}$/m);
    expect(readdirSync(node.at('tmp'))).toEqual([]);
  });
});

describe('the control plane that is made of a snapshot', () => {
  it('has its authorities and no leaf, its manifests as they were, its encryption, and etcd’s data with revisions beyond those that were seen', async () => {
    await take();
    node.append(`${MANIFESTS}/kube-apiserver.yaml`, '');
    const [api, of] = [node.read(`${MANIFESTS}/kube-apiserver.yaml`), sum()];
    replace();
    const { status, stdout, stderr } = await restore();
    expect(status, stderr + stdout).toBe(0);
    expect(node.read(`${PKI}/ca.key`)).toBe('key of ca');
    expect(node.read(`${PKI}/sa.pub`)).toBe('public key of sa');
    for (const leaf of LEAVES) expect(node.has(`${PKI}/${leaf}.crt`) || node.has(`${PKI}/${leaf}.key`), leaf).toBe(false);
    expect(node.read(`${MANIFESTS}/kube-apiserver.yaml`)).toBe(api);
    expect(node.read('etc/kubernetes/enc/encryption.yaml')).toBe('how Secrets are encrypted');
    expect(node.read('var/lib/etcd/member/db')).toBe('restored\n');
    expect(statSync(node.at('var/lib/etcd')).mode & 0o777).toBe(0o700);
    const etcd = node.calls.find((line) => line.startsWith('etcdutl')) ?? '';
    expect(etcd).toContain(`--name master24 --initial-cluster master24=https://${ADDRESS}:2380`);
    expect(etcd).toMatch(/--bump-revision 1000000000 --mark-compacted$/);
    expect(node.calls).toContainEqual(
      expect.stringMatching(/^ctr .*images mount --snapshotter native registry\.k8s\.io\/etcd:3\.6\.4-0 /),
    );
    expect(node.read('var/lib/windlass-restored')).toBe(`${of}\n`);
  });

  it('is begun by the phases of kubeadm that are about the machine alone: nothing that the cluster keeps is written anew', async () => {
    await take();
    replace();
    await restore();
    const init = node.calls.find((line) => line.startsWith('kubeadm init')) ?? '';
    expect(init).toContain(
      '--skip-phases=etcd,control-plane,upload-config,upload-certs,mark-control-plane,bootstrap-token,addon,show-join-command',
    );
    const parts = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd'];
    const data = node.at('var/lib/etcd').replaceAll('/', '-');
    const ignored = [`DirAvailable-${data}`, ...parts.map((part) => `FileAvailable--etc-kubernetes-manifests-${part}.yaml`)];
    expect(init).toContain(`--ignore-preflight-errors=${ignored.join(',')} `);
  });

  it('leaves nothing of the snapshot, and the archive only where it did not begin', async () => {
    await take();
    replace();
    node.program('kubeadm', `case "$1" in init) echo '[wait-control-plane] the API server is not healthy' >&2; exit 1 ;; esac`);
    const failed = await restore();
    expect(failed).toMatchObject({ status: 1, stderr: expect.stringContaining('the API server is not healthy') as string });
    expect(node.has('var/lib/windlass-restore')).toBe(false);
    expect(node.has('var/lib/windlass-restored')).toBe(false);
    expect(node.has('var/lib/windlass-snapshot.tar.gz')).toBe(true);
    node.program(
      'kubeadm',
      `case "$1" in init) echo admin > ${node.at('etc/kubernetes/admin.conf')} ;; reset) rm -rf ${node.at(PKI)} ${node.at(MANIFESTS)}/* ;; esac`,
    );
    const again = await restore();
    expect(again.status, again.stderr).toBe(0);
    expect(again.stdout).toContain('clearing away an attempt that did not end');
    expect(node.read('var/lib/etcd/member/db')).toBe('restored\n');
    expect(node.has('var/lib/windlass-snapshot.tar.gz')).toBe(false);
    expect(node.has('var/lib/windlass-restore')).toBe(false);
  });

  it('is not begun again where it ended and only its result was lost: it waits until the API server lists the node', async () => {
    await take();
    replace();
    const of = sum();
    await restore(ADDRESS, of);
    const before = node.calls.length;
    const again = await restore(ADDRESS, of);
    expect(again, again.stderr).toMatchObject({ status: 75 });
    expect(again.stdout + again.stderr).toContain('does not list this node yet');
    expect(node.calls.slice(before).filter((line) => /kubeadm|etcdutl/.test(line))).toEqual([]);
    expect(node.read('var/lib/etcd/member/db')).toBe('restored\n');
  });

  it('says so where its etcd can raise no revisions', async () => {
    node.remove();
    node = master('--data-dir string');
    await take();
    replace();
    const { status, stdout } = await restore();
    expect(status).toBe(0);
    expect(stdout).toMatch(/^note registry\.k8s\.io\/etcd:3\.6\.4-0 can't raise revisions.*started anew$/m);
    expect(node.calls.find((line) => line.startsWith('etcdutl'))).not.toContain('--bump');
  });

  it.each<[string, () => Promise<{ status: number | null; stderr: string }>, RegExp]>([
    [
      'is at another address',
      () => restore('10.10.0.99'),
      /is of a master at 10\.10\.0\.24, and this machine is at 10\.10\.0\.99/,
    ],
    ['has another archive than was brought', () => restore(ADDRESS, '0'.repeat(64)), /is not the snapshot that was brought/],
  ])('is not begun where the machine %s', async (_what, begin, said) => {
    await take();
    replace();
    const { status, stderr } = await begin();
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringMatching(said) as string });
    expect(node.has(`${PKI}/ca.key`)).toBe(false);
    expect(node.calls.filter((line) => line.startsWith('kubeadm'))).toEqual([]);
  });
});
