import { millis } from '@windlass/foundation';
import type { CrashPoints } from '@windlass/driver-kit/testing';
import { crashSuite, undoSuite } from '@windlass/driver-kit/testing';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../settings/settings.js';
import { FakeCluster } from '../testing/fake-cluster.js';
import { joins, packagedBench } from '../testing/packaged.js';
import { healed, scaled, vnfc } from '../testing/requests.js';

const WORKER = 'server-worker-2';
const ID = 'run-install-script:10.10.0.32';
const TOKEN = /-t ([a-z0-9]{6}\.[a-z0-9]{16}) /;

/** A master and a worker that a script of the package made. */
function stands(points: CrashPoints = {}): FakeCluster {
  const world = new FakeCluster(points);
  world.begin('server-master-1', 'master24', '10.10.0.24');
  world.listed.set('worker31', { ready: true, address: '10.10.0.31' });
  world.node('server-worker-1').ca = world.node('server-master-1').ca;
  world.scriptOutput = joins(world);
  return world;
}

const argumentsOf = (world: FakeCluster, server = WORKER): string[] =>
  world.node(server).scriptRuns.map((text) => text.replaceAll("'", ''));

const hostsOf = (world: FakeCluster, server: string) =>
  world
    .node(server)
    .hosts.split('\n')
    .filter((line) => !line.startsWith('#') && line !== '');

describe('a worker that comes by a packaged script', () => {
  it('is told where and by which token to join, which the cluster made for it and takes back; the script runs nowhere else', async () => {
    const world = stands();
    const { runner, lines } = packagedBench(world, scaled('scale_end'));
    await runner.run();
    const hash = world.node('server-master-1').ca!;
    expect(argumentsOf(world)).toEqual([`-w 10.10.0.32 -i 10.10.0.24 -t ${world.minted[0]!} -s ${hash}`]);
    expect(world.node(WORKER).env).toMatchObject({ ha_flag: 'False', HTTP_PRIVATE_REGISTRIES: '' });
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31', 'worker32']);
    for (const server of ['server-master-1', 'server-worker-1']) {
      expect(argumentsOf(world, server)).toEqual([]);
      expect(hostsOf(world, server)).toContain('10.10.0.32 worker32');
    }
    expect(world.tokens.size).toBe(0);
    expect([...lines, JSON.stringify(Object.fromEntries(runner.outputs))].join('\n')).not.toContain(world.minted[0]);
  });

  it('shares its token with nobody, and each is taken back when its script has ended', async () => {
    const world = stands();
    const both = ['10.10.0.32', '10.10.0.33'].map((address, n) => vnfc('worker', n + 2, address));
    const affectedVnfcs = both.map((of) => ({ changeType: 'ADDED' as const, vnfc: of }));
    const { runner } = packagedBench(world, { ...scaled('scale_end'), affectedVnfcs }, { workers: 3 });
    for (const { id, action } of runner.steps) if (action !== 'revoke-join-tokens') await runner.performOnce(id);
    const tokens = [WORKER, 'server-worker-3'].map((server) => TOKEN.exec(argumentsOf(world, server)[0]!)?.[1]);
    expect(new Set(tokens).size).toBe(2);
    expect(world.minted.toSorted()).toEqual(tokens.toSorted());
    expect(world.tokens.size).toBe(0);
  });

  it('is told of the other masters where there are several, and of registries without TLS', async () => {
    const world = stands();
    world.listed.set('master25', { ready: true, address: '10.10.0.25' });
    const vnfcs = [
      vnfc('master', 1, '10.10.0.24'),
      vnfc('master', 2, '10.10.0.25'),
      vnfc('worker', 1, '10.10.0.31'),
      vnfc('worker', 2, '10.10.0.32'),
    ];
    const sharedCps = [{ name: 'masterNode_CP1', resourceId: 'port-vip', addresses: ['10.10.0.50'], floatingIp: null }];
    const registries = [
      { connection_type: '0', server: '10.0.0.9:5000' },
      { connection_type: 0, server: 'registry.example:5000' },
    ];
    const { runner } = packagedBench(
      world,
      { ...scaled('scale_end'), vnfcs, sharedCps },
      { cluster: { private_registry_connection_info: registries } },
    );
    await runner.run();
    expect(argumentsOf(world)[0]).toContain('-w 10.10.0.32 -i 10.10.0.50 ');
    expect(world.node(WORKER).env).toMatchObject({
      ha_flag: 'True',
      HTTP_PRIVATE_REGISTRIES: '"10.0.0.9:5000","registry.example:5000"',
    });
  });

  it('may be called otherwise than we call it, and leaves by that name', async () => {
    const world = stands();
    world.scriptOutput = joins(world, () => 'node-b');
    await packagedBench(world, scaled('scale_end')).runner.run();
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31', 'node-b']);
    await packagedBench(world, scaled('scale_start')).runner.run();
    expect(world.drained).toEqual(['node-b']);
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31']);
  });

  it('has its script run although a VM that is gone is listed with its address', async () => {
    const world = stands();
    world.listed.set('worker32', { ready: true, address: '10.10.0.32' });
    await packagedBench(world, scaled('scale_end')).runner.run();
    expect(argumentsOf(world)).toHaveLength(1);
    expect(world.listed.get('worker32')).toEqual({ ready: true, address: '10.10.0.32' });
  });

  it('has it run once: what is in the cluster already is left as it is', async () => {
    const world = stands();
    await packagedBench(world, scaled('scale_end')).runner.run();
    await packagedBench(world, scaled('scale_end')).runner.run();
    expect(argumentsOf(world)).toHaveLength(1);
  });

  it('waits where nobody can tell whether it is in the cluster already', async () => {
    const world = stands();
    const { runner } = packagedBench(world, scaled('scale_end'));
    await runner.performOnce('name-nodes');
    world.api = undefined;
    await expect(runner.performOnce(ID)).rejects.toMatchObject({ code: 'cluster.no-answer', name: 'TransientError' });
    expect(argumentsOf(world)).toEqual([]);
  });
});

describe('a packaged script that did not do it', () => {
  const settings = { ...defaultSettings, listedWithin: millis(30) };
  const PEM = `-----BEGIN CERTIFICATE-----\n${'MIIDBTCCAe2gAwIBAgIIY9/'.repeat(2)}\n-----END CERTIFICATE-----`;

  it('is found out by the cluster though it ends well, and what it said last is told without what lets anybody in', async () => {
    const world = stands();
    world.scriptOutput = ({ command }) => ({
      stdout: `begin\n${'line\n'.repeat(9)}joining by ${TOKEN.exec(command.replaceAll("'", ''))?.[1] ?? 'no token'}\nmine is zyxwvu.0123456789abcdef\nkey ${'0a'.repeat(32)}\n${PEM}\nlogin ubuntu:of-the-node\n`,
      stderr: 'kubeadm: connection refused\n',
    });
    const { runner, lines } = packagedBench(world, scaled('scale_end'), { settings });
    const failure = (await runner.run().catch((error: unknown) => error)) as Error;
    expect(failure).toMatchObject({ code: 'script.not-joined', name: 'TerminalError' });
    expect(failure.message).toMatch(
      /install_k8s_cluster\.sh ended with exit status 0 on worker32.*list worker32 \(10\.10\.0\.32\).*listed are master24, worker31/,
    );
    expect(failure.message).toContain(
      'joining by ***\nmine is ***\nkey ***\n***\nlogin ubuntu:of-the-node\nkubeadm: connection refused',
    );
    expect(failure.message).not.toContain('begin');
    expect(world.tokens.size).toBe(0);
    for (const secret of [world.minted[0]!, 'zyxwvu.', '0a0a', 'MIID'])
      expect(`${failure.message}${lines.join()}`).not.toContain(secret);
  });

  it('and says so itself stops the operation with its exit status and its words', async () => {
    const world = stands();
    world.scriptOutput = () => ({ status: 255, stderr: 'E: Unable to locate package kubeadm\n' });
    const { runner } = packagedBench(world, scaled('scale_end'), { settings });
    await expect(runner.run()).rejects.toMatchObject({
      code: 'script.failed',
      name: 'TerminalError',
      message: expect.stringMatching(/worker32 ended with exit status 255.*Unable to locate package kubeadm/) as string,
    });
    expect(world.tokens.size).toBe(0);
  });
});

/** A token that a step has made: another was there before. */
const newTokenOf = ({ tokens }: FakeCluster): string | undefined => [...tokens.keys()].find((id) => id !== 'abcdef');

const scaleOut = (points: CrashPoints) => {
  const world = stands(points);
  // What an earlier join left behind.
  world.keepToken('abcdef.0123456789abcdef', 'Windlass: for one node to join');
  return packagedBench(world, scaled('scale_end'), points);
};

crashSuite('a scale out by a packaged script', {
  bench: scaleOut,
  stands: ({ world }) => {
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31', 'worker32']);
    expect(argumentsOf(world)).toHaveLength(1);
    expect(world.tokens.size).toBe(0);
  },
});

undoSuite('a scale out by a packaged script', {
  bench: scaleOut,
  left: {
    // Its VM goes: what the cluster knows of it is all that is left, and a token lets any machine join.
    [ID]: ({ world }) => world.listed.get('worker32') ?? newTokenOf(world),
    'update-peers:10.10.0.31': ({ world }) => hostsOf(world, 'server-worker-1').find((line) => line.endsWith('worker32')),
  },
});

describe('a worker of a packaged script that is healed', () => {
  it('leaves the cluster, and the fresh VM joins it by the script under the name that it had', async () => {
    const world = stands();
    await packagedBench(world, scaled('scale_end')).runner.run();
    await packagedBench(world, healed('heal_start', ['worker-2'])).runner.run();
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31']);
    world.destroy(WORKER);
    const { runner } = packagedBench(world, healed('heal_end', ['worker-2']));
    await runner.run();
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31', 'worker32']);
    expect(argumentsOf(world)).toHaveLength(1);
    expect(runner.steps.map(({ action }) => action)).toContain('update-peers');
  });
});
