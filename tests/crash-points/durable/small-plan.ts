import { millis, seconds, TerminalError, TransientError, waitUntil } from '@windlass/foundation';
import { subjects } from '@windlass/messaging';
import type { PgLcmStore } from '@windlass/persistence';
import {
  compilePlan,
  expandInto,
  parallel,
  present,
  sequence,
  type BoundAction,
  type OperationOwner,
  type Plan,
  type StepNode,
  type StepRun,
} from '@windlass/saga';
import { unbounded } from '@windlass/saga/testing';

export const MAKER = 'maker';

/** The options of a step of the small plan. */
interface MakeInput {
  name: string;
  /** Whether the first attempt fails with a transient error. */
  busyAtFirst?: boolean;
  /** Whether the step works until its lease has been renewed. */
  untilRenewed?: boolean;
  /** The step that ends at the same moment. */
  endsWith?: string;
  /** The step of the plan that this step returns. */
  returns?: string;
}

const make = (input: MakeInput): StepNode => ({
  kind: 'step',
  id: input.name,
  action: 'make',
  version: 1,
  service: MAKER,
  input: { ...input },
});

const inline = (id: string): StepNode => ({
  kind: 'step',
  id,
  action: 'note',
  version: 1,
  service: 'inline',
  input: {},
  traits: { inline: true, undoable: false },
});

/** A plan with each kind of step: inline steps, a retry, a pair side by side that ends at the same moment, a renewal, a grafted plan. */
const PLAN: Plan = {
  root: sequence(
    inline('open'),
    make({ name: 'busy', busyAtFirst: true }),
    parallel([make({ name: 'left', endsWith: 'right' }), make({ name: 'right', untilRenewed: true })]),
    make({ name: 'hook', returns: 'grafted' }),
    make({ name: 'last' }),
    inline('close'),
  ),
};

/** The names of the steps whose effects are counted. */
const MADE = ['busy', 'left', 'right', 'grafted', 'last'];

/** The ids of the same steps. */
export const WORKED = ['busy', 'left', 'right', 'hook/grafted', 'last'];

/** The effects of steps outside the database: how often each was made and removed. */
export class SmallWorld {
  readonly #effects = new Map<string, { made: number; takenAway: number; there: boolean }>();
  /** The operations whose last step is refused. */
  readonly refuses = new Set<string>();

  of(operationId: string): Record<string, unknown> {
    return Object.fromEntries(MADE.map((name) => [name, this.#effects.get(`${operationId} ${name}`) ?? 'never made']));
  }

  has(operationId: string, name: string): boolean {
    return this.#effects.get(`${operationId} ${name}`)?.there ?? false;
  }

  make(operationId: string, name: string): void {
    const { made, takenAway } = this.#effects.get(`${operationId} ${name}`) ?? { made: 0, takenAway: 0 };
    this.#effects.set(`${operationId} ${name}`, { made: made + 1, takenAway, there: true });
  }

  takeAway(operationId: string, name: string): void {
    const effect = this.#effects.get(`${operationId} ${name}`);
    if (effect?.there !== true) return;
    effect.there = false;
    effect.takenAway += 1;
  }
}

/** The only action of the small plan's service. */
export const makeIn = (world: SmallWorld): BoundAction => ({
  key: 'make@1',
  retry: { attempts: 3, backoff: 50 },
  within: seconds(30),
  check: ({ operationId, input }) => {
    const { name } = input as unknown as MakeInput;
    return Promise.resolve(world.has(operationId, name) && present({ made: name }));
  },
  apply: async (run) => {
    const { operationId } = run;
    const { name, busyAtFirst, untilRenewed, endsWith, returns } = run.input as unknown as MakeInput;
    if (busyAtFirst === true && run.attempt === 1) throw new TransientError('test.busy', 'the world is busy');
    if (name === 'last' && world.refuses.has(operationId)) throw new TerminalError('test.refused', 'the world refuses it');
    if (untilRenewed === true) await renewed(run);
    if (returns !== undefined) return expandInto({ root: make({ name: returns }) });
    run.assertLease();
    world.make(operationId, name);
    if (endsWith !== undefined) await together(run, () => world.has(operationId, endsWith));
    return { made: name };
  },
  undo: (run) => {
    run.assertLease();
    world.takeAway(run.operationId, (run.input as unknown as MakeInput).name);
    return Promise.resolve();
  },
});

const LOOK = { within: seconds(20), every: millis(2) };

async function renewed(run: StepRun): Promise<void> {
  let left: number = run.leaseLeft();
  const look = () => {
    const before = left;
    left = run.leaseLeft();
    return Promise.resolve(left > before || undefined);
  };
  await waitUntil(look, { for: 'the lease to be renewed', signal: run.signal, ...LOOK });
}

const together = (run: StepRun, isThere: () => boolean): Promise<true> =>
  waitUntil(() => Promise.resolve(isThere() || undefined), { for: 'the other to be made', signal: run.signal, ...LOOK });

/** The owner of these operations, which writes events of their states in the same transactions. */
export function smallOwner(store: PgLcmStore): OperationOwner {
  return {
    ...unbounded,
    plan: () => Promise.resolve(compilePlan(PLAN)),
    source: () => Promise.resolve(undefined),
    runInline: async (tx, step) => {
      const message = { operationId: tx.operation.id, told: `${step.id} noted` };
      await store.emit(tx.handle, [{ subject: subjects.event.operation('noted'), message }]);
      return undefined;
    },
    moved: (tx, { statuses }) =>
      store.emit(
        tx.handle,
        statuses.map(({ to }) => ({
          subject: subjects.event.operation(to),
          message: { operationId: tx.operation.id, told: to },
        })),
      ),
  };
}
