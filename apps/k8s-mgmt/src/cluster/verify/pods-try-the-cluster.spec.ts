import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject } from '@windlass/foundation';
import { compilePlan } from '@windlass/saga';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ASKS_ALL } from './probe-pods.js';
import { bench, type BenchOptions } from '../../testing/bench.js';
import { ready, waits } from '../../testing/fake-pods.js';
import { PARAMS, plainParams } from '../../testing/requests.js';

const STEP = 'verify-cluster';

/** A cluster of a master and two workers that stands but for its verification. */
async function standing(options: BenchOptions = {}) {
  const made = bench(options);
  for (const { id } of made.runner.steps) {
    if (id === STEP) break;
    await made.runner.performOnce(id);
  }
  const verify = (epoch = 1, signal?: AbortSignal) =>
    made.runner.action(STEP).apply(made.runner.runOf(STEP, { epoch, attemptEpoch: epoch, ...(signal && { signal }) }));
  return { ...made, verify, pods: made.world.pods };
}

const imageOf = (image: string): JsonObject => {
  const params = plainParams();
  (params[PARAMS] as JsonObject).verification_image = image;
  return params;
};

describe('pods that try a cluster', () => {
  it('run on every node, ask a name and each other, and the next step takes them away', async () => {
    const { verify, pods, runner } = await standing();
    const asked: string[] = [];
    pods.says = (node, command) => (asked.push(`${node}: ${command.split('-- ').at(-1)!.split('\n').at(-1)!}`), {});
    expect(await verify()).toEqual({ nodes: ['master24', 'worker31', 'worker32'] });
    expect(pods.ran).toEqual(['master24', 'worker31', 'worker32']);
    expect(asked).toEqual([
      'master24:  sh probes worker31=192.168.0.9 worker32=192.168.0.9',
      'worker31:  sh probes master24=192.168.0.9 worker32=192.168.0.9',
      'worker32:  sh probes master24=192.168.0.9 worker31=192.168.0.9',
    ]);
    expect([...pods.pods.keys()]).toEqual(['probe-1', 'probe-2', 'probe-3']);
    await runner.action('remove-probes').apply(runner.runOf('remove-probes'));
    expect([...pods.pods, ...pods.namespaces]).toEqual([]);
  });

  it('that somebody took away meanwhile are run again, and are not taken for ones that answered', async () => {
    const { verify, pods } = await standing();
    await verify();
    pods.clear();
    await expect(verify()).rejects.toMatchObject({ code: 'cluster.pods-gone', name: 'TransientError' });
    expect(await verify(2)).toMatchObject({ nodes: expect.arrayContaining(['worker31']) as string[] });
    expect(pods.ran).toHaveLength(6);
  });

  it('have no right that a cluster with the strictest policy refuses, and bind to their node alone', async () => {
    const { verify, pods } = await standing();
    const specs: JsonObject[] = [];
    pods.says = () => (specs.push(...[...pods.pods.values()].map(({ spec }) => spec)), {});
    await verify();
    expect(specs[0]).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      tolerations: [{ operator: 'Exists' }],
      containers: [
        {
          image: 'docker.io/library/busybox:1.36',
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    });
    expect(JSON.stringify(specs)).not.toMatch(/privileged|hostNetwork|hostPath|hostPID/);
  });

  it('run the image that the request names', async () => {
    const { verify, pods } = await standing({ params: imageOf('mirror.example:5000/busybox:1.36') });
    const images = new Set<unknown>();
    pods.says = () => {
      for (const { spec } of pods.pods.values()) images.add((spec.containers as JsonObject[])[0]!.image);
      return {};
    };
    await verify();
    expect([...images]).toEqual(['mirror.example:5000/busybox:1.36']);
  });

  it.each([
    ['the nodes say that they run none', { runtime: 'none://containerd-1.6.20' }, undefined, 'none://containerd-1.6.20'],
    ['the request says so', { runtime: 'containerd://2.1.0' }, 'none', 'verification_image'],
  ])('are left out with a note where %s', async (_when, { runtime }, image, words) => {
    const { verify, pods, world, runner } = await standing(image === undefined ? {} : { params: imageOf(image) });
    world.runtime = runtime;
    expect(await verify()).toEqual({
      nodes: ['master24', 'worker31', 'worker32'],
      notes: [expect.stringContaining(words) as string],
    });
    expect(pods.ran).toEqual([]);
    expect(runner.steps.find(({ id }) => id === STEP)?.traits.contributes).toBe(true);
  });

  it('are run where one node alone says that it runs none', async () => {
    const { verify, pods, world } = await standing();
    world.hosts.on(/kubectl .*get nodes/, () => ({
      stdout: JSON.stringify({
        items: [...world.listed].map(([name, { address }], index) => ({
          metadata: { name },
          status: {
            conditions: [{ type: 'Ready', status: 'True' }],
            addresses: [{ type: 'InternalIP', address }],
            nodeInfo: { containerRuntimeVersion: index === 0 ? 'none://x' : 'containerd://2.1.0', kubeletVersion: world.version },
          },
        })),
      }),
    }));
    await verify();
    expect(pods.ran).toHaveLength(3);
  });

  it('are not run on nodes that run another Kubernetes than was installed: which, the error says', async () => {
    const { verify, pods, world } = await standing();
    world.version = 'v1.33.9';
    await expect(verify()).rejects.toMatchObject({
      code: 'cluster.other-version',
      message: expect.stringContaining('v1.34.1 was expected: master24 runs v1.33.9') as string,
    });
    expect(pods.ran).toEqual([]);
  });

  it('are not what a plan of an earlier release asked for, which named no image', async () => {
    const { runner, pods } = await standing();
    const run = runner.runOf(STEP);
    const { image: _image, ...earlier } = run.input;
    expect(await runner.action(STEP).apply({ ...run, input: earlier })).toEqual({ nodes: ['master24', 'worker31', 'worker32'] });
    expect(pods.ran).toEqual([]);
  });

  it('that have ended fail with node, pod and the cluster’s words, and are taken away', async () => {
    const { verify, pods } = await standing();
    pods.fate = (node) =>
      node === 'worker32'
        ? {
            phase: 'Failed',
            containerStatuses: [
              { state: { terminated: { reason: 'StartError', exitCode: 128, message: 'exec: "sh": not found' } } },
            ],
          }
        : ready(node);
    await expect(verify()).rejects.toMatchObject({
      code: 'cluster.pod-failed',
      name: 'TransientError',
      message: expect.stringMatching(/probe-3 on worker32 .*StartError.*128.*"sh": not found/) as string,
    });
    expect([...pods.pods, ...pods.namespaces]).toEqual([]);
  });

  it('with an image that is none end the operation at once', async () => {
    const { verify, pods } = await standing();
    pods.fate = () => waits('InvalidImageName', 'couldn’t parse image name');
    await expect(verify()).rejects.toMatchObject({ code: 'cluster.pod-refused', name: 'TerminalError' });
    expect(pods.pods.size).toBe(0);
  });

  it('of an earlier attempt are taken away first', async () => {
    const { verify, pods } = await standing();
    pods.applied({ kind: 'Pod', metadata: { name: 'probe-9', namespace: 'windlass-verify-old' }, spec: {} });
    let seen: string[] = [];
    pods.says = () => ((seen = [...pods.pods.keys()]), {});
    await verify(2);
    expect(seen).toEqual(['probe-1', 'probe-2', 'probe-3']);
  });

  it('stay for whoever comes next when the step’s worker loses it', async () => {
    const { verify, pods } = await standing();
    const lost = new AbortController();
    pods.says = () => {
      lost.abort(new Error('lost'));
      return { stdout: 'not yet\n' };
    };
    await expect(verify(1, lost.signal)).rejects.toThrow('lost');
    expect(pods.pods.size).toBe(3);
  });

  it('stand in the plan with their image, which is the default’s where none is named', () => {
    const step = compilePlan(bench().plan).steps.find(({ id }) => id === STEP);
    expect(JSON.stringify(step)).toContain('docker.io/library/busybox:1.36');
  });
});

describe('pods that do not come to answer', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance', 'Date'] }));
  afterEach(() => void vi.useRealTimers());

  /** Runs until it has ended, however long it waits. */
  async function inTime<T>(work: Promise<T>): Promise<T> {
    const state = { ended: false };
    const settled = work.finally(() => (state.ended = true));
    settled.catch(() => undefined);
    while (!state.ended) await vi.advanceTimersByTimeAsync(1_000);
    return settled;
  }

  it.each([
    [
      'no node that takes it',
      (node: string) =>
        node === 'worker31'
          ? {
              phase: 'Pending',
              conditions: [
                { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' },
              ],
            }
          : ready(node),
      /probe-2 on .*Unschedulable: 0\/3 nodes are available/,
    ],
  ])('tell of %s, node by node, and are taken away', async (_why, fate, words) => {
    const { verify, pods, lines } = await standing();
    pods.fate = fate;
    await expect(inTime(Promise.resolve(verify()))).rejects.toMatchObject({
      code: 'wait.timeout',
      message: expect.stringMatching(words) as string,
    });
    expect(lines.join('\n')).toMatch(words);
    expect([...pods.pods, ...pods.namespaces]).toEqual([]);
  });

  it.each(['docker.io/x: not found', 'pull access denied', 'unexpected status: 401 Unauthorized'])(
    'are not waited for where the registry’s answer stays so: %s',
    async (answer) => {
      const { verify, pods } = await standing();
      let looks = 0;
      pods.fate = (node) => {
        if (node !== 'worker31') return ready(node);
        looks += 1;
        return looks === 2
          ? waits('ErrImagePull', `failed to pull and unpack image: ${answer}`)
          : waits('ImagePullBackOff', 'Back-off pulling image "x"');
      };
      expect(await verify()).toMatchObject({
        notes: [expect.stringContaining(`worker31: ErrImagePull: failed to pull and unpack image: ${answer}`)],
      });
      expect(looks).toBe(2);
    },
  );

  it.each([
    ['one node does not get', ['worker31'], 2],
    ['no node gets', ['master24', 'worker31', 'worker32'], 0],
  ] as const)(
    'for an image that %s are noted with what to do, and those that run try each other',
    async (_who, without, tried) => {
      const { verify, pods, lines } = await standing();
      const asked = new Set<string>();
      pods.fate = (node) =>
        without.some((one) => one === node) ? waits('ImagePullBackOff', 'Back-off pulling image "x"') : ready(node);
      pods.says = (node) => (asked.add(node), {});
      expect(await inTime(Promise.resolve(verify()))).toEqual({
        nodes: ['master24', 'worker31', 'worker32'],
        notes: [
          expect.stringMatching(
            new RegExp(
              `no pod has tried ${without.join(', ')}, which did not get docker.io/library/busybox:1.36.*by verification_image`,
            ),
          ),
        ],
      });
      expect(asked.size).toBe(tried);
      expect(lines.join('\n')).toContain('worker31: ImagePullBackOff: Back-off pulling image "x"');
    },
  );

  it('fail the operation where one waits for more than its image', async () => {
    const { verify, pods } = await standing();
    pods.fate = (node) =>
      node === 'master24'
        ? waits('ImagePullBackOff', 'x')
        : node === 'worker31'
          ? waits('CreateContainerError', 'y')
          : ready(node);
    await expect(inTime(Promise.resolve(verify()))).rejects.toMatchObject({ code: 'wait.timeout' });
  });

  it('tell who does not reach whom, and no longer of who came to', async () => {
    const { verify, pods } = await standing();
    let looks = 0;
    pods.says = (node) =>
      node === 'worker32' || (node === 'master24' && looks++ < 1)
        ? { stdout: `the pod on worker31 (192.168.0.9): wget: download timed out\n` }
        : {};
    await expect(inTime(Promise.resolve(verify()))).rejects.toMatchObject({
      code: 'wait.timeout',
      message: expect.stringMatching(
        /last seen: from worker32, the pod on worker31 \(192\.168\.0\.9\): wget: download timed out$/,
      ) as string,
    });
    expect(pods.pods.size).toBe(0);
  });

  it('tell what kubectl says where nothing can be run in one', async () => {
    const { verify, pods } = await standing();
    pods.says = () => ({ status: 1, stderr: 'error: unable to upgrade connection: Forbidden\n' });
    await expect(inTime(Promise.resolve(verify()))).rejects.toMatchObject({
      message: expect.stringContaining(
        'from worker31, nothing could be run in its pod: error: unable to upgrade connection',
      ) as string,
    });
  });
});

describe('what asks, in a pod', () => {
  const run = promisify(execFile);

  /** With a wget that answers as the table says. */
  async function asked(answers: Record<string, string>, ...argv: string[]): Promise<string[]> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'windlass-probe-'));
    const cases = Object.entries(answers).map(([url, answer]) => `*/${url}:*) ${answer} ;;`);
    const wget = path.join(folder, 'wget');
    await writeFile(wget, `#!/bin/sh\nfor last; do :; done\ncase $last in\n${cases.join('\n')}\nesac\n`);
    await chmod(wget, 0o755);
    try {
      const { stdout } = await run('sh', ['-c', ASKS_ALL, 'sh', ...argv], { env: { PATH: `${folder}:/usr/bin:/bin` } });
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .sort();
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  it('prints nothing where all answer as who they are', async () => {
    expect(
      await asked({ probes: 'echo worker31', '10.1': 'echo worker31', '10.2': 'echo m' }, 'probes', 'worker31=10.1', 'm=10.2'),
    ).toEqual([]);
  });

  it('says so where a wget that ran out of time says nothing', async () => {
    expect(await asked({ probes: 'exit 143' }, 'probes')).toEqual(['the name probes: no answer (wget ended with 143)']);
  });

  it('prints each that does not, with what wget said, or with who answered instead', async () => {
    const answers = {
      probes: 'echo "wget: bad address" >&2; exit 1',
      '10.1': 'echo other',
      '10.2': 'echo timed out >&2; exit 1',
    };
    expect(await asked(answers, 'probes', 'worker31=10.1', 'm=10.2')).toEqual([
      'the name probes: wget: bad address',
      'the pod on m (10.2): timed out',
      'the pod on worker31 (10.1) answered "other"',
    ]);
  });
});
