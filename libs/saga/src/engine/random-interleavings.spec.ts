import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePlan } from '../plan/compile.js';
import { parallel, sequence, type Plan, type PlanNode, type StepNode } from '../plan/plan.js';
import { outputOf } from '../plan/refs.js';
import { inline, make } from '../testing/stage.js';
import { RandomWorld, RandomTape } from '../testing/random-world.js';

type Shape =
  | { kind: 'make'; limits: string[]; looks: boolean }
  | { kind: 'inline' }
  | { kind: 'graft'; plan: Shape[] }
  | { kind: 'sequence'; of: Shape[] }
  | { kind: 'parallel'; of: Shape[]; limit: number };

const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    fc.record({ kind: fc.constant('make' as const), limits: fc.subarray(['host:1', 'vim:1', 'free:1']), looks: fc.boolean() }),
    fc.record({ kind: fc.constant('inline' as const) }),
    fc.record({ kind: fc.constant('sequence' as const), of: fc.array(tie('shape'), { maxLength: 4 }) }),
    fc.record({ kind: fc.constant('parallel' as const), of: fc.array(tie('shape'), { maxLength: 4 }), limit: fc.nat(3) }),
    fc.record({ kind: fc.constant('graft' as const), plan: fc.array(tie('shape'), { maxLength: 3 }) }),
  ),
}));

/** Makes plans of shapes, names their steps, and lets each step use what one before it gives. */
class PlanMaker {
  readonly grafts = new Map<string, Plan>();
  #ids = 0;

  plan(shapes: readonly Shape[], parentId: string | null, depth = 0): Plan {
    const root = sequence(...shapes.map((each) => this.#node(each, parentId, depth)));
    const fed = new Map(
      compilePlan({ root: sequence(root, make('end')) }).steps.flatMap(({ id, deps }) =>
        deps[0]?.startsWith('make') === true ? [[id, deps[0]] as const] : [],
      ),
    );
    return { root: feed(root, fed) };
  }

  #node(from: Shape, parentId: string | null, depth: number): PlanNode {
    if (from.kind === 'sequence') return sequence(...from.of.map((each) => this.#node(each, parentId, depth)));
    if (from.kind === 'parallel') {
      const of = from.of.map((each) => this.#node(each, parentId, depth));
      return from.limit === 0 ? parallel(of) : parallel(of, { limit: from.limit });
    }
    const id = `${from.kind}${this.#ids++}`;
    if (from.kind === 'inline') return inline(id);
    if (from.kind === 'make' || depth > 1) return make(`make${id}`, from.kind === 'make' ? workOf(from) : {});
    const fullId = parentId === null ? id : `${parentId}/${id}`;
    this.grafts.set(fullId, this.plan(from.plan, fullId, depth + 1));
    return make(id, { action: 'graft', traits: { undoable: false } });
  }
}

const workOf = ({ limits, looks }: Extract<Shape, { kind: 'make' }>): Partial<StepNode> => ({
  limits,
  ...(looks
    ? { traits: { look: { action: 'seek', version: 1, ...(limits.includes('host:1') ? { behind: 'host:1' } : {}) } } }
    : {}),
});

const feed = (node: PlanNode, fed: ReadonlyMap<string, string>): PlanNode => {
  if (node.kind !== 'step') return { ...node, of: node.of.map((each) => feed(each, fed)) };
  const source = fed.get(node.id);
  return source === undefined ? node : ({ ...node, input: { of: outputOf(source) } } satisfies StepNode);
};

const seed = fc.noShrink(fc.integer());
const shapes = fc.array(shape, { minLength: 1, maxLength: 4 });
/** No timer fires between the world's turns, so that the test's own time-out would never be told. */
const RUNS = { numRuns: 150, plugins: [fc.interruptAfterTimeLimit(50_000, { failOnInterrupt: true })] };

function worldOf(from: readonly Shape[], seeded: number): RandomWorld {
  const maker = new PlanMaker();
  const plan = maker.plan([...from, { kind: 'make', limits: [], looks: false }], null);
  return new RandomWorld(plan, maker.grafts, new RandomTape(seeded));
}

describe('any plan under any interleaving of claims, results, losses, repetitions, crashes and sweeps', () => {
  it('ends with every step done, its effect made once, in the order of the plan', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, seed, fc.nat(300), async (from, seeded, turns) => {
        const world = worldOf(from, seeded);
        world.crashes = 5;
        world.trouble = { transient: 5, terminal: 0 };
        for (let turn = 0; turn < turns && world.status !== 'suspended'; turn++) await world.turn();
        await ended(world, () => world.coordinator.retry('op'));
        expect(world.status).toBe('completed');
        expect(world.steps.every(({ phase, state }) => phase === 'do' && state === 'done')).toBe(true);
        expect([...world.made].sort()).toEqual(world.steps.flatMap(({ id, action }) => (action === 'make' ? [id] : [])).sort());
      }),
      RUNS,
    );
  });

  it('with failures, cancels, retries and roll-backs among them ends with all of it there, or nothing', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, seed, fc.nat(400), fc.boolean(), async (from, seeded, turns, forward) => {
        const world = worldOf(from, seeded);
        world.crashes = 3;
        world.trouble = { transient: 5, terminal: 10 };
        for (let turn = 0; turn < turns; turn++) await (world.status === 'suspended' ? decide(world) : mayCancel(world));
        await ended(world, () => (forward ? world.coordinator.retry('op') : world.coordinator.rollback('op')));
        const all = world.steps.flatMap(({ id, action }) => (action === 'make' ? [id] : []));
        if (world.status === 'completed') expect([...world.things].sort()).toEqual(all.sort());
        else expect([world.status, ...world.things]).toEqual(['rolled-back']);
      }),
      RUNS,
    );
  });
});

/** Attempts that have met trouble may leave it suspended; once the trouble is over, one answer is enough. */
async function ended(world: RandomWorld, answer: () => Promise<unknown>): Promise<void> {
  await world.settle();
  for (let answers = 0; world.status === 'suspended'; answers++) {
    if (answers === 10) throw new Error(`it is suspended for ever: ${JSON.stringify(world.summary())}`);
    await answer();
    await world.settle();
  }
}

async function decide(world: RandomWorld): Promise<void> {
  const { crashes } = world;
  world.crashes = 0;
  if (world.tape.below(3) === 0) await world.coordinator.rollback('op');
  else await world.coordinator.retry('op');
  world.crashes = crashes;
}

async function mayCancel(world: RandomWorld): Promise<void> {
  const running = ['accepted', 'running', 'rolling-back', 'stopping'].includes(world.status);
  if (!running || world.tape.below(60) !== 0) return world.turn();
  const { crashes } = world;
  world.crashes = 0;
  await world.coordinator.cancel('op', world.tape.below(2) === 0 ? 'GRACEFUL' : 'FORCEFUL');
  world.crashes = crashes;
}
