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

/** What a step of the small plan does beside its effect. */
interface MakeInput {
  name: string;
  /** Its first attempt finds the world busy. */
  busyAtFirst?: boolean;
  /** It works until its lease has been renewed. */
  untilRenewed?: boolean;
  /** It ends together with this one. */
  endsWith?: string;
  /** It is there only in the plan that the step returns. */
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

/** One of each kind: inline steps, a retry, a pair side by side that ends at the same moment, a renewal, a plan that is grafted. */
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

/** Names of the steps whose effects are counted. */
const MADE = ['busy', 'left', 'right', 'grafted', 'last'];

/** Ids of the same steps. */
export const WORKED = ['busy', 'left', 'right', 'hook/grafted', 'last'];

/** What steps have done outside, which no database knows: an effect is made and taken away, and each is counted. */
export class SmallWorld {
  readonly #effects = new Map<string, { made: number; takenAway: number; there: boolean }>();
  /** Operations whose last step is refused. */
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

/** The maker's only action. */
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

/** The owner of such operations: says what becomes of them, in the transactions in which it does. */
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
