import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptBench } from '@windlass/driver-kit/testing';
import { INIT_CONTROL_PLANE } from './scripts.js';

const HINT = 'To see the stack trace of this error execute with --v=5 or higher';
const PULL =
  'failed to pull image "registry.k8s.io/kube-apiserver:v1.34.1": rpc error: code = Unknown desc = failed to resolve reference';

describe('kubeadm init', () => {
  let node: ScriptBench;
  beforeEach(() => {
    node = new ScriptBench()
      .programs('sleep')
      .program('getent', `echo ubuntu:x:1000:1000::/home/ubuntu:/bin/bash`)
      .program('id', 'echo root')
      .programs('install')
      .file('says', '');
  });
  afterEach(() => node.remove());

  /** kubeadm ends so, and says so, where its arguments begin so; else it ends well. */
  const fails = (words: string, status: number, says: string, times = 100) => {
    node.file('says', `${says}\n${HINT}\n`);
    node.program(
      'kubeadm',
      `case "$*" in "${words}"*) echo x >> ${node.at('tries')}
       if [ "$(wc -l < ${node.at('tries')})" -le ${times} ]; then cat ${node.at('says')} >&2; exit ${status}; fi ;; esac`,
    );
  };
  const init = () => node.run(INIT_CONTROL_PLANE, ['init.yaml', 'ubuntu']);
  const runs = (words: string) => node.calls.filter((line) => line.startsWith(`kubeadm ${words}`)).length;

  it.each([
    [
      'a registry that is overloaded',
      `${PULL}: unexpected status from HEAD request to https://registry.k8s.io/v2/: 503 Service Unavailable`,
    ],
    ['a registry that can’t be reached', `${PULL}: dial tcp 34.96.108.209:443: i/o timeout`],
    ['a name server that is away', `${PULL}: lookup registry.k8s.io: no such host`],
    ['a proxy that answers for the registry', `${PULL}: unexpected status: 502 Bad Gateway`],
    ['a connection that breaks', `${PULL}: read tcp: connection reset by peer`],
  ])('pulls its images by themselves first, again and again: %s costs no installation', async (_what, says) => {
    fails('config images pull', 1, says, 3);
    const end = await init();
    expect(end.status).toBe(0);
    const [first, ...attempts] = end.stdout.split('\n').filter((line) => line.includes('images'));
    expect(first).toBe('pulling the images of the control plane');
    expect(attempts[2]).toContain('attempt 3 of 5 to pull images: image "registry.k8s.io/kube-apiserver:v1.34.1": ');
    expect(attempts[2]).toContain(says.slice(-60));
    // A line of progress is cut there.
    expect(attempts[2]!.length).toBeLessThan(200);
    expect(runs('config images pull --config init.yaml')).toBe(4);
    expect(runs('init')).toBe(1);
  });

  it('may work later where images could not be had in five attempts', async () => {
    fails('config images pull', 1, `${PULL}: i/o timeout`);
    expect(await init()).toMatchObject({ status: 75, stderr: expect.stringContaining('in 5 attempts') as string });
    expect(runs('init')).toBe(0);
  });

  it('is not pulled for again where attempts have taken minutes already: who waits is told sooner', async () => {
    fails('config images pull', 1, `${PULL}: i/o timeout`);
    const end = await node.run(INIT_CONTROL_PLANE.replace('pull_within=180', 'pull_within=0'), ['init.yaml', 'ubuntu']);
    expect(end.status).toBe(75);
    expect(end.stderr).toMatch(/in 1 attempts: image "registry.k8s.io.*i\/o timeout/);
    expect(runs('config images pull')).toBe(1);
  });

  it.each([
    ['an image that the registry has not', `${PULL}: registry.k8s.io/kube-apiserver:v1.34.99: not found`],
    ['a registry that lets nobody in', `${PULL}: unexpected status: 401 Unauthorized`],
    ['a configuration that it can’t read', 'strict decoding error: unknown field "podSubnets"'],
  ])('is not tried again for %s', async (_what, says) => {
    fails('config images pull', 1, says);
    expect((await init()).status).toBe(1);
    expect(runs('config images pull')).toBe(1);
    expect(runs('init')).toBe(0);
  });

  it.each([
    ['an API server that is not up in time', 1, 'error execution phase wait-control-plane: context deadline exceeded'],
    [
      'a kubelet that is not up in time',
      1,
      "The HTTP call equal to 'curl -sSL http://127.0.0.1:10248/healthz' returned error: connection refused",
    ],
    ['etcd that has no leader yet', 1, 'error execution phase upload-config: etcdserver: leader changed'],
    ['a pull in preflight, of 1.33', 2, `[preflight] Some fatal errors occurred:\n\t[ERROR ImagePull]: ${PULL}: i/o timeout`],
    [
      'a pull in preflight',
      1,
      `[preflight] Some fatal errors occurred:\n\t[ERROR ImagePull]: ${PULL}: i/o timeout\nerror: error execution phase preflight: preflight checks failed`,
    ],
  ])('may work later after %s', async (_what, status, says) => {
    fails('init', status, says);
    expect((await init()).status).toBe(75);
  });

  it.each([
    [
      'a node that preflight refuses',
      1,
      '[preflight] Some fatal errors occurred:\n\t[ERROR CRI]: could not connect to the container runtime: context deadline exceeded\nerror: error execution phase preflight: preflight checks failed',
    ],
    ['a configuration that it refuses', 1, 'error: controlPlaneEndpoint: Invalid value: "-": timeout'],
    [
      'a node that preflight of 1.33 refuses',
      2,
      '[preflight] Some fatal errors occurred:\n\t[ERROR Mem]: the system RAM (983 MB) is less than the minimum 1700 MB',
    ],
    [
      'a node that it refuses beside a pull that failed',
      1,
      `\t[ERROR ImagePull]: ${PULL}: i/o timeout\n\t[ERROR Port-6443]: Port 6443 is in use`,
    ],
    ['a configuration that 1.33 refuses', 3, 'controlPlaneEndpoint: Invalid value: "-": timeout'],
    ['anything else', 1, 'error execution phase certs/ca: failed to write or validate certificate'],
  ])('is an error at once, with its own status, for %s', async (_what, status, says) => {
    fails('init', status, says);
    const end = await init();
    expect(end.status).toBe(status);
    expect(end.stderr).toContain(says);
  });
});
