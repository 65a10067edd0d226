import type { JsonObject } from '@windlass/foundation';
import type { HookContext, Vnfc } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';
import { FakeMasters } from '../testing/fake-masters.js';
import { healed, PARAMS, plainParams, scaled, vnfc } from '../testing/requests.js';

const VIP = { name: 'vip_CP', resourceId: 'port-vip', addresses: ['10.10.0.9'], floatingIp: null };
const address = (n: number): string => `10.10.0.${n}`;
const master = (n: number): Vnfc => vnfc('master', n, address(n));
const WORKER = vnfc('worker', 31, address(31));
const idOf = (n: number): string => `server-master-${n}`;

function params(): JsonObject {
  const of = plainParams();
  (of[PARAMS] as Record<string, JsonObject>).master_node!.cluster_cp_name = 'vip_CP';
  return of;
}

/** A cluster that stands, with masters of these numbers and a worker. */
async function standing(...masters: number[]) {
  const world = new FakeMasters();
  const operation = (hook: Partial<HookContext>, of = masters) =>
    bench({
      world,
      params: params(),
      requestParams: {},
      hook: { vnfcs: [...of.map(master), WORKER], sharedCps: [VIP], operationId: `operation-${hook.hook ?? 'made'}`, ...hook },
    });
  await operation({}).runner.run();
  /** Heals these: what begins it, other VMs in their places, what ends it. Gives all that its steps noted. */
  const heal = async (...numbers: number[]): Promise<string[]> => {
    const ids = numbers.map((n) => `master-${n}`);
    const start = operation(healed('heal_start', ids));
    await start.runner.run();
    for (const n of numbers) world.destroy(idOf(n));
    const end = operation(healed('heal_end', ids));
    await end.runner.run();
    return [...notesOf(start.runner.outputs), ...notesOf(end.runner.outputs)];
  };
  const grow = async (...numbers: number[]): Promise<string[]> => {
    const affectedVnfcs = numbers.map((n) => ({ changeType: 'ADDED' as const, vnfc: master(n) }));
    const { runner } = operation({ ...scaled('scale_end'), affectedVnfcs }, [...masters, ...numbers]);
    await runner.run();
    return notesOf(runner.outputs);
  };
  const die = (...numbers: number[]): void => numbers.forEach((n) => world.die(idOf(n)));
  return { world, heal, grow, die, operation };
}

const notesOf = (outputs: ReadonlyMap<string, unknown>): string[] =>
  [...outputs.values()].flatMap((output) => (output as { notes?: string[] } | null)?.notes ?? []);

const voters = ({ etcd }: FakeMasters): string[] => [...etcd.voters].sort();
const ready = ({ listed }: FakeMasters): string[] => [...listed].flatMap(([name, { ready: is }]) => (is ? [name] : [])).sort();

describe('two dead masters of five', () => {
  it('are healed by one request, the first of the cluster among them', async () => {
    const { world, heal, die } = await standing(24, 25, 26, 27, 28);
    die(24, 25);
    await heal(24, 25);
    expect(voters(world)).toEqual([24, 25, 26, 27, 28].map(address));
    expect(ready(world)).toEqual(['master24', 'master25', 'master26', 'master27', 'master28', 'worker31']);
  });

  it('are healed one at a time: the other is noted and left, and its member leaves etcd, for kubeadm joins nobody beside it', async () => {
    const { world, heal, die } = await standing(24, 25, 26, 27, 28);
    die(24, 25);
    const notes = await heal(25);
    expect(voters(world)).toEqual([25, 26, 27, 28].map(address));
    expect(notes.join('\n')).toMatch(/master24 does not answer: its load balancer is as it was/);
    expect(notes.join('\n')).toMatch(/10\.10\.0\.24 has no member of etcd.*heal it/);
    expect((await heal(24)).filter((note) => note.includes('does not answer: its load balancer'))).toEqual([]);
    expect(voters(world)).toEqual([24, 25, 26, 27, 28].map(address));
  });
});

describe('three masters of which one is dead', () => {
  it('become five: the dead one is noted and left', async () => {
    const { world, grow, die } = await standing(24, 25, 26);
    die(24);
    const notes = await grow(27, 28);
    expect(voters(world)).toEqual([25, 26, 27, 28].map(address));
    expect(notes.join('\n')).toMatch(/10\.10\.0\.24 has no member of etcd.*heal it/);
  });
});

/** How often a machine that is dead is tried: each time costs a connection's time-out. */
function triesOf({ hosts }: FakeMasters, n: number): () => number {
  let tries = 0;
  Object.defineProperty(hosts.machine(idOf(n)), 'unreachable', { get: () => ((tries += 1), true) });
  return () => tries;
}

describe('a master that is dead', () => {
  it('is asked last by steps after the one that has found it silent, the first as it may be', async () => {
    const { world, die, operation } = await standing(24, 25, 26);
    die(24);
    const tries = triesOf(world, 24);
    const { runner } = operation(healed('heal_start', ['worker-31']));
    await runner.run();
    expect(tries()).toBe(1);
  });

  it('is not asked when it is healed: the cluster says that its node is silent, and etcd that its member is', async () => {
    const { world, die, operation } = await standing(24, 25, 26);
    die(24);
    const tries = triesOf(world, 24);
    await operation(healed('heal_start', ['master-24'])).runner.run();
    expect(tries()).toBe(0);
  });

  it('is asked once in an operation that heals another', async () => {
    const { world, die, operation } = await standing(24, 25, 26, 27, 28);
    die(24, 25);
    const tries = triesOf(world, 24);
    await operation(healed('heal_start', ['master-25'])).runner.run();
    expect(tries()).toBe(1);
  });

  it('gives the address away itself where only its kubelet is dead', async () => {
    const { world, operation } = await standing(24, 25, 26);
    world.listed.set('master24', { ...world.listed.get('master24')!, ready: false });
    await operation(healed('heal_start', ['master-24'])).runner.run();
    expect(world.balancers.get(idOf(24))?.keepalived).toBe(false);
  });
});
