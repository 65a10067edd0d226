import { Crash, crashSuite, undoSuite, type CrashPoints } from '@windlass/driver-kit/testing';
import { compilePlan } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { PackagedMasters } from '../testing/packaged-masters.js';
import { healed } from '../testing/requests.js';

const HEALED = 'server-master-25';
const ALL = ['10.10.0.24', '10.10.0.25', '10.10.0.26'];
const STEP = 'run-install-script:10.10.0.25';
const WITHOUT = ['10.10.0.24', '10.10.0.26'];
const COMMON = '-i 10.10.0.50 -p 192.168.0.0/16 -a 10.199.187.0/24';

describe('the plan of healing a master that a packaged script made', () => {
  const graph = (hook: Parameters<PackagedMasters['bench']>[0]): string[] =>
    compilePlan(new PackagedMasters().bench(hook).plan).steps.map(({ id, deps }) => `${id} after [${deps.join(' ')}]`);

  it('takes it out of the script’s load balancer and of etcd through those that stay', () => {
    expect(graph(healed('heal_start', ['master-25']))).toMatchInlineSnapshot(`
      [
        "check-certificates after []",
        "keep-snapshot after [check-certificates]",
        "name-nodes after [keep-snapshot]",
        "check-quorum after [name-nodes]",
        "cordon-node:10.10.0.25 after [check-quorum]",
        "drain-node:10.10.0.25 after [cordon-node:10.10.0.25]",
        "change-back-ends:10.10.0.24 after [drain-node:10.10.0.25]",
        "change-back-ends:10.10.0.26 after [drain-node:10.10.0.25]",
        "leave-load-balancer:10.10.0.25 after [change-back-ends:10.10.0.24 change-back-ends:10.10.0.26]",
        "leave-etcd:10.10.0.25 after [leave-load-balancer:10.10.0.25]",
        "remove-node:10.10.0.25 after [leave-etcd:10.10.0.25]",
      ]
    `);
  });

  it('has the script run on what came in its place, and the others serve it again', () => {
    expect(graph(healed('heal_end', ['master-25', 'worker-31']))).toMatchInlineSnapshot(`
      [
        "name-nodes after []",
        "remove-dead-members after [name-nodes]",
        "run-install-script:10.10.0.25 after [remove-dead-members]",
        "run-install-script:10.10.0.31 after [remove-dead-members]",
        "change-back-ends:10.10.0.24 after [run-install-script:10.10.0.25 run-install-script:10.10.0.31]",
        "change-back-ends:10.10.0.26 after [run-install-script:10.10.0.25 run-install-script:10.10.0.31]",
        "update-peers:10.10.0.24 after [change-back-ends:10.10.0.24 change-back-ends:10.10.0.26]",
        "update-peers:10.10.0.26 after [change-back-ends:10.10.0.24 change-back-ends:10.10.0.26]",
        "update-peers:10.10.0.32 after [change-back-ends:10.10.0.24 change-back-ends:10.10.0.26]",
        "verify-cluster after [update-peers:10.10.0.24 update-peers:10.10.0.26 update-peers:10.10.0.32]",
        "remove-probes after [verify-cluster]",
        "revoke-join-tokens after [remove-probes]",
        "list-certificates after [revoke-join-tokens]",
      ]
    `);
  });
});

const healStart = (points: CrashPoints = {}) => {
  const of = new PackagedMasters(points);
  return { of, ...of.bench(healed('heal_start', ['master-25']), points) };
};

/** The VM is there that came in its place. */
const healEnd = (points: CrashPoints = {}) => {
  const of = new PackagedMasters(points);
  of.replaced(HEALED);
  // What an earlier join left behind.
  of.world.keepToken('abcdef.0123456789abcdef', 'Windlass: for one node to join');
  return { of, ...of.bench(healed('heal_end', ['master-25']), points) };
};

const voters = ({ etcd }: PackagedMasters): string[] => etcd.voters.toSorted();

describe('a cluster of a packaged script that is healed as a whole', () => {
  it('is made by the script again, as at the instantiation, and its VIM is registered anew', () => {
    const stepsOf = (hook: Parameters<PackagedMasters['bench']>[0]): string[] =>
      compilePlan(new PackagedMasters().bench(hook).plan).steps.map(({ id, deps }) => `${id} after [${deps.join(' ')}]`);
    const again = stepsOf(healed('heal_end', [], { whole: true }));
    expect(again.map((line) => line.replace('[deregister-vim]', '[]'))).toEqual([
      'deregister-vim after []',
      ...stepsOf({ hook: 'instantiate_end' }),
    ]);
    expect(again.slice(1, 4)).toEqual([
      'run-install-script:master24 after [deregister-vim]',
      'run-install-script:master25 after [run-install-script:master24]',
      'run-install-script:master26 after [run-install-script:master25]',
    ]);
    expect(again.at(-1)).toContain('register-vim');
  });
});

describe('a master of a packaged script that is healed', () => {
  it('leaves HAProxy’s back ends of the others, the virtual address, etcd and the cluster', async () => {
    const { of, world, runner } = healStart();
    await runner.run();
    expect(of.backEnds.get('server-master-24')).toEqual(WITHOUT);
    expect(of.backEnds.get('server-master-26')).toEqual(WITHOUT);
    expect(of.keepalived.has(HEALED)).toBe(false);
    expect(voters(of)).toEqual(WITHOUT);
    expect([...world.listed.keys()]).not.toContain('master25');
  });

  it('is told who is master already, then who it is, and joins by a token and a key that are taken back', async () => {
    const { of, world, runner, lines } = healEnd();
    await runner.run();
    const [line = '', ...more] = of.argumentsOn(HEALED);
    expect(more).toEqual([]);
    const hash = world.node('server-master-24').ca!;
    expect(line).toMatch(
      new RegExp(`^-m 10.10.0.24,10.10.0.26,10.10.0.25 ${COMMON} -t ${world.minted[0]!} -s ${hash} -k [0-9a-f]{64}$`),
    );
    expect(world.node(HEALED).env).toMatchObject({ HTTP_PRIVATE_REGISTRIES: '' });
    expect(world.node(HEALED).env).not.toHaveProperty('ha_flag');
    for (const each of ['server-master-24', 'server-master-26', 'server-worker-31'])
      expect(of.argumentsOn(each), each).toEqual([]);
    expect(voters(of)).toEqual(ALL);
    expect(of.backEnds.get('server-master-24')).toEqual(ALL);
    expect(world.tokens.size).toBe(0);
    expect(world.api?.has('secret/kubeadm-certs')).toBe(false);
    expect(lines.join('\n')).not.toContain(line.slice(-64));
  });

  it('may have died half-way in joining: what that left in etcd, in the cluster and on the VM goes before the script runs again', async () => {
    const { of, runner } = healEnd();
    of.halfJoined(HEALED);
    await runner.run();
    expect(of.argumentsOn(HEALED)).toHaveLength(1);
    expect(voters(of)).toEqual(ALL);
  });

  it('stays as it is when the script ends well and nobody has joined', async () => {
    const { of, world, runner } = healEnd();
    world.scriptOutput = () => ({ stdout: 'done\n' });
    await expect(runner.run()).rejects.toMatchObject({ code: 'script.not-joined', name: 'TerminalError' });
    expect(of.backEnds.get('server-master-24')).toEqual(WITHOUT);
    expect([...world.tokens.values()]).not.toContain(world.minted[0]);
  });

  it('is healed where the script set up another load balancer, which the operation says', async () => {
    const { of, runner } = healStart();
    of.backEnds.clear();
    await runner.run();
    expect(runner.outputs.get('change-back-ends:10.10.0.24')).toEqual({
      notes: [expect.stringContaining('master24 has no HAProxy with back ends at port 6443') as string],
    });
    expect(voters(of)).toEqual(WITHOUT);
  });

  it('that is undone leaves etcd, the cluster and its VM, wherever its worker died', async () => {
    for (const dies of [
      'before-start of install-script',
      'after-start of install-script',
      'after-apply of run-install-script:10.10.0.25',
    ]) {
      const { of, world, runner } = healEnd({
        atPoint: (point, what) => {
          if (`${point} of ${what}` === dies) throw new Crash(dies);
        },
      });
      await runner.performOnce('name-nodes');
      await expect(runner.performOnce(STEP)).rejects.toThrow(Crash);
      const undone = runner.action(STEP).undo?.(runner.runOf(STEP, { phase: 'undo', epoch: 2, attemptEpoch: 2 }));
      await undone;
      expect(voters(of), dies).toEqual(WITHOUT);
      expect([...world.listed.keys()], dies).not.toContain('master25');
      expect(world.node(HEALED).ca, dies).toBeUndefined();
    }
  });
});

describe('the beginning of a heal of a packaged master whose worker dies', () => {
  it('ends well all the same, at whatever point it dies', async () => {
    let died = true;
    let n = 0;
    for (; died; n += 1) {
      let passed = 0;
      died = false;
      const { of, world, runner } = healStart({
        atPoint: (point, what) => {
          passed += 1;
          if (passed !== n + 1) return;
          died = true;
          throw new Crash(`${point} of ${what}`);
        },
      });
      await runner.run();
      expect(voters(of), `point ${n}`).toEqual(WITHOUT);
      expect(of.backEnds.get('server-master-26'), `point ${n}`).toEqual(WITHOUT);
      expect([...world.listed.keys()], `point ${n}`).not.toContain('master25');
    }
    expect(n).toBeGreaterThan(30);
  });
});

crashSuite('the end of a heal of a packaged master', {
  bench: healEnd,
  stands: ({ of, world }) => {
    expect(voters(of)).toEqual(ALL);
    expect(of.argumentsOn(HEALED)).toHaveLength(1);
    expect(of.backEnds.get('server-master-26')).toEqual(ALL);
    expect(world.tokens.size).toBe(0);
  },
});

undoSuite('the beginning of a heal of a packaged master', {
  bench: healStart,
  left: {
    'cordon-node:10.10.0.25': ({ world }) => (world.cordoned.has('master25') ? 'no pods come' : undefined),
    'change-back-ends:10.10.0.24': ({ of }) =>
      of.backEnds.get('server-master-24')?.length === 3 ? undefined : 'a back end less',
    'leave-load-balancer:10.10.0.25': ({ of }) => (of.keepalived.has(HEALED) ? undefined : 'it holds no address'),
    'remove-node:10.10.0.25': ({ world }) => (world.listed.has('master25') ? undefined : 'out of the cluster'),
  },
});
