import { TerminalError } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { parallel, sequence, type Plan } from '../plan/plan.js';
import { common, outputOf } from '../plan/refs.js';
import { expandInto, present } from '../worker/action.js';
import { Simulation, type SimulatedAction } from '../testing/simulation.js';

/** A world of named things: making one twice, or undoing one that others stand on, is an error that the test sees. */
class World {
  readonly things = new Set<string>();
  readonly made: string[] = [];
  broken: string | undefined;

  make: SimulatedAction = {
    check: ({ name }) => (this.things.has(String(name)) ? present({ made: String(name) }) : false),
    apply: ({ name, after }) => {
      if (this.broken === name) throw new TerminalError('world.broken', `${String(name)} can't be made`);
      for (const before of (after as string[] | undefined) ?? [])
        expect([...this.things], `${String(name)} needs ${before}`).toContain(before);
      expect([...this.things], `${String(name)} is made twice`).not.toContain(name);
      this.things.add(String(name));
      this.made.push(String(name));
      return { made: String(name) };
    },
    undo: ({ name, before }) => {
      for (const later of (before as string[] | undefined) ?? [])
        expect([...this.things], `${String(name)} is undone before ${later}`).not.toContain(later);
      this.things.delete(String(name));
    },
  };

  graft: SimulatedAction = { apply: () => expandInto(inner) };
}

const make = (id: string, extra: Record<string, string[]> = {}) =>
  ({ kind: 'step', id, action: 'make', version: 1, service: 'maker', input: { name: id, ...extra } }) as const;

const inner: Plan = {
  common: { colour: 'green' },
  root: sequence(parallel([make('n1', { after: ['base'], before: ['top'] }), make('n2', { after: ['base'], before: ['top'] })]), {
    ...make('n3', { after: ['n1', 'n2'] }),
    input: { name: 'n3', after: ['n1', 'n2'], before: ['top'], colour: common('/colour'), of: outputOf('n1', '/made') },
  }),
};

const plan: Plan = {
  root: sequence(
    {
      kind: 'step',
      id: 'grant',
      action: 'grant',
      version: 1,
      service: 'inline',
      input: {},
      traits: { inline: true, undoable: false, milestone: 'PROCESSING' },
    },
    make('base', { before: ['n1', 'n2', 'n3', 'top'] }),
    {
      kind: 'step',
      id: 'hook',
      action: 'graft',
      version: 1,
      service: 'coordinator',
      input: {},
      traits: { undoable: false },
    },
    make('top', { after: ['n3'] }),
    {
      kind: 'step',
      id: 'publish',
      action: 'publish',
      version: 1,
      service: 'inline',
      input: {},
      traits: { inline: true, undoable: false },
    },
  ),
};

const ALL = ['base', 'n1', 'n2', 'n3', 'top'];

async function simulate(crashAt?: number, broken?: string) {
  const world = new World();
  world.broken = broken;
  const simulation = new Simulation(plan, { make: world.make, graft: world.graft });
  simulation.crashAt = crashAt;
  simulation.journal.accept({ id: 'op' });
  await simulation.run('op');
  return { world, simulation };
}

describe('an operation whose processes die', () => {
  it('completes without a crash, each thing made once', async () => {
    const { world, simulation } = await simulate();
    expect(simulation.status('op')).toBe('completed');
    expect(world.made.sort()).toEqual(ALL);
    expect(simulation.moves.flatMap((move) => move.milestones)).toEqual(['PROCESSING']);
  });

  it('completes as the uninterrupted run does from a crash at every single point', async () => {
    const { simulation: whole } = await simulate();
    const points = whole.points;
    expect(points).toBeGreaterThan(30);
    for (let point = 0; point < points; point++) {
      const { world, simulation } = await simulate(point);
      expect(simulation.status('op'), `crash at ${point} (${whole.passed[point] ?? ''})`).toBe('completed');
      expect(world.made.sort(), `crash at ${point}`).toEqual(ALL);
    }
  });

  it('rolls back everything in reverse, from a crash at every single point', async () => {
    const first = await simulate(undefined, 'n3');
    expect(first.simulation.status('op')).toBe('suspended');
    expect(first.simulation.journal.operations.get('op')?.failure).toMatchObject({ code: 'world.broken', stepId: 'hook/n3' });
    const before = first.simulation.points;
    await first.simulation.coordinator.rollback('op');
    await first.simulation.run('op');
    expect(first.simulation.status('op')).toBe('rolled-back');
    expect([...first.world.things]).toEqual([]);
    for (let point = before; point < first.simulation.points; point++) {
      const { world, simulation } = await simulate(undefined, 'n3');
      simulation.crashAt = point;
      await simulation.coordinator.rollback('op').catch(() => simulation.coordinator.rollback('op').catch(() => undefined));
      await simulation.run('op');
      expect(simulation.status('op'), `crash at ${point}`).toBe('rolled-back');
      expect([...world.things], `crash at ${point}`).toEqual([]);
    }
  });

  it('retries only what is not done, and checks again what is', async () => {
    const { world, simulation } = await simulate(undefined, 'n3');
    world.broken = undefined;
    world.things.delete('n1'); // replaced meanwhile: its check says no
    await simulation.coordinator.retry('op');
    await simulation.run('op');
    expect(simulation.status('op')).toBe('completed');
    expect(world.made).toEqual(expect.arrayContaining(['base', 'n1', 'n2', 'n1', 'n3', 'top']));
    expect(world.made.filter((name) => name === 'n2')).toHaveLength(1);
  });

  it('does not graft a second plan on retry', async () => {
    const { simulation } = await simulate(undefined, 'n3');
    const before = simulation.journal.steps.get('op')?.length;
    await simulation.coordinator.retry('op');
    await simulation.run('op');
    expect(simulation.journal.steps.get('op')?.length).toBe(before);
  });

  it('undoes a step that died half-way through from its input alone', async () => {
    const { world, simulation } = await simulate(undefined, 'n3');
    expect(world.made).not.toContain('n3');
    world.things.add('n3'); // made by an attempt that failed after its effect
    await simulation.coordinator.rollback('op');
    await simulation.run('op');
    expect([...world.things]).toEqual([]);
  });
});
