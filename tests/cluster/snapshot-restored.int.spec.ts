import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { ScriptBench } from '@windlass/driver-kit/testing';
import { seconds, waitUntil } from '@windlass/foundation';
import { freePort, onFreePort } from '@windlass/foundation/testing';
import { etcdctl, LOOK_AT_ETCD, OWN_ETCD, RESTORE_CONTROL_PLANE, TAKE_SNAPSHOT } from '@windlass/k8s-mgmt/testing';
import type { Command } from '@windlass/mgmt-driver';
import { debianProgram, startTestEtcd, type TestEtcd } from '@windlass/lab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const SECRET = 'what a Secret of the cluster says';
const PKI = 'etc/kubernetes/pki/etcd';
/** The rest of what etcd's manifest says. */
const PEER = '    - --initial-advertise-peer-urls=http://127.0.0.1:2380\n    image: registry.k8s.io/etcd:3.6.4-0\n';

let etcd: TestEtcd;
let node: ScriptBench;
let program: string;
let archive: string;

/** etcdctl of the test's own, as an administrator calls it. */
const asked = (...words: string[]): Promise<{ stdout: string }> => {
  const pki = node.at(PKI);
  const tls = [`--cacert=${pki}/ca.crt`, `--cert=${pki}/healthcheck-client.crt`, `--key=${pki}/healthcheck-client.key`];
  return run(program, [...tls, `--endpoints=${etcd.access.endpoints.join(',')}`, ...words]);
};

/** A master as kubeadm leaves it, in a folder, whose etcd is a real one. */
beforeAll(async () => {
  [etcd, program] = await Promise.all([startTestEtcd(), debianProgram('etcdctl')]);
  node = new ScriptBench();
  archive = node.at('var/lib/windlass-snapshot.tar.gz');
  symlinkSync(program, node.at('own/etcdctl'));
  // As it runs a program in a container: on the same files.
  node.program('crictl', 'case "$*" in *" ps "*) echo 3f00 ;; *) shift 4; exec "$@" ;; esac');
  const { ca, cert, key } = etcd.access;
  node.file(`${PKI}/ca.crt`, ca).file(`${PKI}/healthcheck-client.crt`, cert).file(`${PKI}/healthcheck-client.key`, key);
  node.file('etc/kubernetes/pki/ca.key', 'the key of the cluster’s CA').file('var/lib/etcd/member/snap/db', 'x'.repeat(4_096));
  node.file(
    'etc/kubernetes/manifests/etcd.yaml',
    `    - --name=m\n    - --data-dir=${node.at('var/lib/etcd')}\n    - --wal=1\n${PEER}`,
  );
  const flags = [
    `    - --encryption-provider-config=${node.at('etc/kubernetes/enc/encryption.yaml')}`,
    `    - --audit-policy-file=${node.at('etc/kubernetes/audit.yaml')}`,
    `    - --authentication-config=${node.at('etc/kubernetes/pki/authentication.yaml')}`,
  ];
  node.file('etc/kubernetes/manifests/kube-apiserver.yaml', `${flags.join('\n')}\n`);
  node.file('etc/kubernetes/enc/encryption.yaml', 'how Secrets are encrypted');
  await asked('put', '/registry/secrets/default/one', SECRET);
}, seconds(240));
afterAll(async () => {
  await etcd.stop();
  node.remove();
});

async function taken() {
  const data = node.at('var/lib/etcd');
  const here = ({ text }: Command): string =>
    text.replaceAll('/etc/kubernetes', node.at('etc/kubernetes')).replaceAll(OWN_ETCD[0]!, etcd.access.endpoints[0]!);
  node.file('health.sh', here(etcdctl(OWN_ETCD, ['endpoint', 'health'])));
  node.file('save.sh', here(etcdctl(OWN_ETCD, ['snapshot', 'save', `${data}/windlass-snapshot.db`], seconds(600))));
  return node.run(TAKE_SNAPSHOT, [data, node.at('health.sh'), node.at('save.sh'), archive, '10.10.0.24']);
}

describe('a snapshot of a master with a real etcd', () => {
  it('is preceded by a look at how large the database is, where, and what room there is', async () => {
    const { stdout } = await node.run(LOOK_AT_ETCD);
    expect(stdout).toMatch(new RegExp(`^etcd 4096 [1-9]\\d{6,} ${node.at('var/lib/etcd')}\n$`));
    const other = new ScriptBench();
    expect(await other.run(LOOK_AT_ETCD)).toMatchObject({ status: 0, stdout: '' });
    other.remove();
  });

  it('has the database, the authorities, the manifests and what the API server names; root alone reads it, and nothing else is left', async () => {
    const { status, stdout, stderr } = await taken();
    expect(status, stderr).toBe(0);
    const lines = stdout.trim().split('\n');
    const sum = createHash('sha256').update(readFileSync(archive)).digest('hex');
    expect(lines.at(-1)).toBe(`snapshot ${statSync(archive).size} ${sum}`);
    expect(lines).toContain(`missing ${node.at('etc/kubernetes/audit.yaml')}`);
    expect(lines.filter((line) => line.startsWith('missing'))).toHaveLength(1);
    expect(statSync(archive).mode & 0o777).toBe(0o600);
    const { stdout: list } = await run('tar', ['--list', '--file', archive]);
    for (const name of ['windlass-snapshot.db', 'pki/ca.key', 'manifests/etcd.yaml', 'enc/encryption.yaml'])
      expect(list).toMatch(new RegExp(`(^|/)${name.replaceAll('.', String.raw`\.`)}$`, 'm'));
    expect((await run('ls', [node.at('var/lib/etcd')])).stdout.trim()).toBe('member');
    expect((await run('ls', [node.at('var/lib')])).stdout).not.toContain('.new');
  });

  it('brings back what was in etcd when it was taken, as the runbook has it', async () => {
    expect((await taken()).status).toBe(0);
    await asked('put', '/registry/secrets/default/one', 'later');
    const there = node.at('restored');
    mkdirSync(there);
    await run('tar', ['--extract', '--file', archive, '--directory', there]);
    const server = await debianProgram('etcd');
    await onFreePort(
      async () => [await freePort(), await freePort()] as const,
      async ([client, peer]) => {
        const urls = { client: `http://127.0.0.1:${client}`, peer: `http://127.0.0.1:${peer}` };
        const data = `${there}/data-${client}`;
        const member = ['--name=m', `--initial-cluster=m=${urls.peer}`, `--initial-advertise-peer-urls=${urls.peer}`];
        await run(program, ['snapshot', 'restore', `${there}/windlass-snapshot.db`, ...member, `--data-dir=${data}`]);
        const listens = [`--listen-client-urls=${urls.client}`, `--advertise-client-urls=${urls.client}`];
        const child = spawn(server, [...member, ...listens, `--listen-peer-urls=${urls.peer}`, `--data-dir=${data}`], {
          stdio: 'ignore',
        });
        try {
          expect(await valueFrom(child, urls.client)).toBe(SECRET);
        } finally {
          child.kill('SIGKILL');
          if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
        }
      },
    );
  });

  it('that etcd refuses ends within seconds, leaves no archive, also not an earlier one, and says what etcdctl said', async () => {
    expect((await taken()).status).toBe(0);
    const begun = performance.now();
    node.file(`${PKI}/ca.crt`, 'no certificate');
    const { status, stdout, stderr } = await taken();
    node.file(`${PKI}/ca.crt`, etcd.access.ca);
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect(status).not.toBe(0);
    expect(stdout + stderr).toMatch(/certificate|PEM|x509|deadline exceeded/i);
    expect(node.has('var/lib/windlass-snapshot.tar.gz')).toBe(false);
    expect((await run('ls', [node.at('var/lib/etcd')])).stdout.trim()).toBe('member');
  });

  it('is a control plane again by the script of the heal: etcd starts on what it places', async () => {
    for (const name of ['sa.key', 'sa.pub', 'front-proxy-ca.key', 'etcd/ca.key']) node.file(`etc/kubernetes/pki/${name}`, name);
    node.file('etc/kubernetes/pki/ca.crt', 'CA').file('etc/kubernetes/audit.yaml', 'audit').file('machine.yaml', 'kind: M\n');
    node.append('etc/kubernetes/manifests/kube-apiserver.yaml', '    - --advertise-address=10.10.0.24\n');
    // As kubeadm, kubectl, containerd and the image's etcdctl do it, as far as that matters here.
    node.program('kubectl', 'case "$*" in *nodes*) echo m 10.10.0.24 ;; *) echo kind: C ;; esac').program('openssl', 'echo CA');
    node.program('kubeadm', `[ "$1" = init ] && echo admin > ${node.at('etc/kubernetes/admin.conf')} || true`);
    node
      .program('getent', `echo root:x:0:0::${node.at('home')}:/bin/bash`)
      .program('systemctl', 'exit 1')
      .programs('ip', 'containerd');
    const image = `mkdir -p "$to/bin"; printf '#!/bin/bash\\nexec etcdctl "$@"\\n' > "$to/bin/etcdctl"; chmod 755 "$to/bin/etcdctl"`;
    node.program('ctr', `case "$*" in *" ls "*) echo there ;; *" mount "*) to="\${*: -1}"; ${image} ;; esac`);
    await asked('put', '/registry/secrets/default/one', SECRET);
    const { status, stdout } = await taken();
    expect(status).toBe(0);
    expect(stdout).toMatch(/^cluster [0-9a-f]{64}$/m);
    const sum = createHash('sha256').update(readFileSync(archive)).digest('hex');
    await run('rm', ['-rf', node.at('etc/kubernetes'), node.at('var/lib/etcd')]);
    const made = await node.run(RESTORE_CONTROL_PLANE, [archive, sum, node.at('machine.yaml'), '10.10.0.24', 'root']);
    expect(made.status, made.stderr + made.stdout).toBe(0);
    expect(node.read('etc/kubernetes/audit.yaml')).toBe('audit');
    expect(node.has('etc/kubernetes/pki/etcd/healthcheck-client.crt')).toBe(false);
    const [server, port] = [await debianProgram('etcd'), await freePort()];
    const url = `http://127.0.0.1:${port}`;
    const words = ['--name=m', `--data-dir=${node.at('var/lib/etcd')}`, '--listen-peer-urls=http://127.0.0.1:0'];
    const child = spawn(server, [...words, `--listen-client-urls=${url}`, `--advertise-client-urls=${url}`], { stdio: 'ignore' });
    try {
      expect(await valueFrom(child, url)).toBe(SECRET);
    } finally {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
  });
});

/** What is under the key, once the etcd that was started of the snapshot answers. */
function valueFrom(child: ChildProcess, url: string): Promise<string> {
  return waitUntil(
    async (seen) => {
      if (child.exitCode !== null) throw new Error(`etcd ended with ${child.exitCode}`);
      try {
        const words = ['get', '/registry/secrets/default/one', '--print-value-only'];
        return (await run(program, [`--endpoints=${url}`, '--dial-timeout=1s', ...words])).stdout.trim();
      } catch (error) {
        seen(error instanceof Error ? error.message : String(error));
        return undefined;
      }
    },
    { for: 'the etcd of the snapshot to answer', within: seconds(60), every: seconds(0.3) },
  );
}
