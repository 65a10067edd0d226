import fc from 'fast-check';
import { expect } from 'vitest';
import {
  isFinal,
  mayDo,
  mayStart,
  statesAfter,
  TASKS,
  type Happening,
  type Model,
  type ModelledOperation,
  type State,
  type Task,
} from './state-table.js';
import { ATTEMPTS, currentOf, type Answer, type Heard, type Run, type System } from './system.js';

type Step = fc.AsyncCommand<Model, System>;

/** A happening, which is one line in the history of a counter-example. */
abstract class Line implements Step {
  constructor(private readonly told: string) {}

  check(): boolean {
    return true;
  }

  abstract run(model: Model, system: System): Promise<void>;

  toString(): string {
    return this.told;
  }
}

class Request extends Line {
  constructor(readonly operation: ModelledOperation['operation']) {
    super(`${operation.toLowerCase()} is asked for`);
  }

  async run(model: Model, system: System): Promise<void> {
    const may = mayStart(model, this.operation);
    const heard = await system.request(this.operation);
    expect(heard.kind, `the request for ${this.operation}`).toBe(may ? 'answered' : 'refused');
    if (may) {
      const fresh = { cancelPending: false, failing: false, inFlight: 0, pastPivot: false };
      model.last = { operation: this.operation, state: 'STARTING', history: [], ...fresh };
    } else expect(heard).toMatchObject({ status: 409 });
    agree(model, system, may ? 'accepted' : 'nothing');
  }
}

class Ask extends Line {
  constructor(
    readonly task: Task,
    readonly mode: 'GRACEFUL' | 'FORCEFUL' = 'GRACEFUL',
  ) {
    super(task === 'cancel' ? `cancel ${mode} is asked for` : `${task} is asked for`);
  }

  async run(model: Model, system: System): Promise<void> {
    const { last } = model;
    const may = last !== undefined && mayDo(last, this.task);
    const heard = await system.task(this.task, this.mode);
    if (last === undefined || !may) {
      expect(heard, `${this.task} in ${last?.state ?? 'no operation'}`).toMatchObject({
        kind: 'refused',
        status: last === undefined ? 404 : 409,
      });
      return;
    }
    expect(heard.kind, `${this.task} in ${last.state}`).not.toBe('refused');
    if (heard.kind === 'lost') return agree(model, system, 'nothing');
    if (this.task === 'cancel') last.cancelPending = last.state !== 'STARTING';
    else Object.assign(last, { failing: false, cancelPending: false });
    agree(model, system, this.task);
  }
}

class Hear extends Line {
  constructor() {
    super('a doorbell is heard');
  }

  async run(model: Model, system: System): Promise<void> {
    const { last } = model;
    const came = await system.hear();
    if (last === undefined) return;
    if (came === undefined) return agree(model, system, 'nothing');
    if (came.what === 'begun') return agree(model, system, 'begun');
    const { heard } = came;
    // No worker holds a claim whose answer was lost, until the lease ends.
    const granted = heard.kind === 'unheard' ? runningUnheard(system) : heard.kind === 'answered' && heard.value !== undefined;
    if (granted) last.inFlight += 1;
    if (system.journal.step(system.current ?? '', 'delete-stack')?.everClaimed === true) last.pastPivot = true;
    agree(model, system, 'claimed');
  }
}

/** Whether the journal has more steps running than workers know of. */
const runningUnheard = (system: System): boolean => {
  const running = system.journal.steps.get(system.current ?? '')?.filter(({ state }) => state === 'running').length ?? 0;
  return running > system.runs.filter(({ lost, claim }) => !lost && claim.operationId === system.current).length;
};

class Work extends Line {
  constructor(
    readonly which: number,
    readonly answer: Answer,
  ) {
    super(`worker ${which} ${answer}`);
  }

  async run(model: Model, system: System): Promise<void> {
    const run = system.runs[this.which % Math.max(1, system.runs.length)];
    if (run === undefined || model.last === undefined) return;
    const heard = await system.answer(run, this.answer);
    agree(model, system, this.#learn(model.last, system, run, heard));
  }

  #learn(last: ModelledOperation, system: System, run: Run, heard: Heard<'journaled' | 'stale'>): Happening {
    if (heard.kind === 'lost') return 'nothing';
    if (run.lost || run.claim.operationId !== system.current) {
      if (heard.kind === 'answered') expect(heard.value, 'the result of a claim that was taken over').toBe('stale');
      return 'nothing';
    }
    if (heard.kind === 'answered') expect(heard.value, 'the result of the present claim').toBe('journaled');
    last.inFlight -= 1;
    if (this.answer === 'done') return 'step done';
    const again = this.answer === 'fails for now' && run.claim.attempt < ATTEMPTS && !last.failing && !last.cancelPending;
    if (again) return 'step tried again';
    last.failing = true;
    return 'step failed';
  }
}

/** Several ordinary happenings at once, so that histories come far. */
class Progress extends Line {
  constructor(readonly steps: number) {
    super(`${steps} times a doorbell is heard and a worker is done`);
  }

  async run(model: Model, system: System): Promise<void> {
    for (let step = 0; step < this.steps; step++) {
      await new Hear().run(model, system);
      await new Work(0, 'done').run(model, system);
    }
  }
}

class Pass extends Line {
  constructor() {
    super('all leases end, and there is a sweep');
  }

  async run(model: Model, system: System): Promise<void> {
    const heard = await system.pass();
    if (model.last === undefined) return;
    if (heard.kind !== 'lost') model.last.inFlight = 0;
    agree(model, system, heard.kind === 'lost' ? 'nothing' : 'time passed');
  }
}

class Die extends Line {
  constructor(readonly when: 'before' | 'after') {
    super(`the coordinator will die ${when} its next commit`);
  }

  run(_model: Model, system: System): Promise<void> {
    system.dies = this.when;
    return Promise.resolve();
  }
}

/** Compares the system with the model, and records in the model which of the allowed states came. */
export function agree(model: Model, system: System, happening: Happening): void {
  const { last } = model;
  if (last === undefined) return;
  const opOcc = currentOf(system);
  const found = opOcc.operationState as State;
  expect(statesAfter(last, happening), `the state after "${happening}" in ${told(last)}`).toContain(found);
  const through = ledTo(last.state, happening);
  if (through !== undefined && through !== found) last.history.push(through, found);
  else if (found !== last.state) last.history.push(found);
  last.state = found;
  if (!['PROCESSING', 'ROLLING_BACK', 'STARTING'].includes(found)) Object.assign(last, { cancelPending: false, failing: false });
  if (found === 'COMPLETED') model.instantiated = last.operation === 'INSTANTIATE';
  expect(system.instantiated, `instantiated after ${last.operation} ${found}`).toBe(model.instantiated);
  expect(system.told, 'what subscribers were told').toEqual(last.history);
  expect([...system.links].sort(), `links in ${told(last)}`).toEqual(TASKS[found].filter((task) => mayDo(last, task)).sort());
  expect(opOcc.isCancelPending, `isCancelPending in ${told(last)}`).toBe(last.cancelPending);
  expect(opOcc.cancelMode === null, 'cancelMode is there while a cancel is pending').toBe(!last.cancelPending);
  expect([...system.store.opOccs.values()].filter(({ operationState }) => !isFinal(operationState as State)).length).toBeLessThan(
    2,
  );
  checkEffects(system, found);
}

/** The state that a task leads to: subscribers are told of it even where the operation ends in the same moment (SOL003 5.6.2.2). */
function ledTo(state: State, happening: Happening): State | undefined {
  if (state !== 'FAILED_TEMP') return undefined;
  return happening === 'retry' ? 'PROCESSING' : happening === 'rollback' ? 'ROLLING_BACK' : undefined;
}

const told = ({ operation, state, cancelPending, failing, inFlight }: ModelledOperation): string =>
  `${operation} ${state}${cancelPending ? ', cancel pending' : ''}${failing ? ', failing' : ''}, ${inFlight} in flight`;

/** Checks the effects: after COMPLETED all exist; after ROLLED_BACK none exists that could be undone. */
function checkEffects(system: System, state: State): void {
  const steps = (system.journal.steps.get(system.current ?? '') ?? []).filter(({ traits }) => traits.inline !== true);
  const there = ({ id }: { id: string }): boolean => system.effects.has(`${system.current ?? ''} ${id}`);
  if (state === 'COMPLETED')
    expect(
      steps.filter((step) => !there(step)).map(({ id }) => id),
      'effects that are missing',
    ).toEqual([]);
  if (state !== 'ROLLED_BACK') return;
  const left = steps.filter((step) => there(step) && step.traits.undoable !== false);
  expect(
    left.map(({ id }) => id),
    'effects that were left',
  ).toEqual([]);
}

/** All happenings, with requests that are refused; work is drawn more often than trouble. */
export const happenings: fc.Arbitrary<Iterable<Step>> = fc.commands<Model, System, false>(
  [
    fc.constantFrom<ModelledOperation['operation']>('INSTANTIATE', 'TERMINATE').map((operation) => new Request(operation)),
    fc.constant(new Hear()),
    fc.constant(new Hear()),
    fc.nat(3).map((which) => new Work(which, 'done')),
    fc.nat(3).map((which) => new Work(which, 'done')),
    fc.integer({ min: 1, max: 6 }).map((steps) => new Progress(steps)),
    fc.integer({ min: 1, max: 6 }).map((steps) => new Progress(steps)),
    fc
      .tuple(fc.nat(3), fc.constantFrom<Answer>('fails', 'fails for now', 'dies before', 'dies after'))
      .map((of) => new Work(...of)),
    fc.constantFrom<Task>('retry', 'rollback', 'fail').map((task) => new Ask(task)),
    fc.constantFrom('GRACEFUL' as const, 'FORCEFUL' as const).map((mode) => new Ask('cancel', mode)),
    fc.constant(new Pass()),
    fc.constantFrom('before' as const, 'after' as const).map((when) => new Die(when)),
  ],
  { maxCommands: 120, size: 'max' },
);

/** Brings a new system to its beginning: an instance that is instantiated or not. Returns the model of the instance. */
export async function beginning(system: System, instantiated: boolean): Promise<Model> {
  const model: Model = { instantiated: false, last: undefined };
  if (!instantiated) return model;
  await new Request('INSTANTIATE').run(model, system);
  await bringToAnEnd(model, system, 'retry');
  return model;
}

/** Brings the operation to its end without further trouble: every operation must end. FAILED_TEMP is answered with a task. */
export async function bringToAnEnd(model: Model, system: System, task: 'retry' | 'rollback'): Promise<void> {
  system.dies = undefined;
  for (let turn = 0; model.last !== undefined && !isFinal(model.last.state); turn++) {
    expect(turn, `turns until ${told(model.last)} comes to its end`).toBeLessThan(500);
    if (model.last.state === 'FAILED_TEMP') await new Ask(mayDo(model.last, task) ? task : 'retry').run(model, system);
    else if (system.runs.length > 0) await new Work(0, 'done').run(model, system);
    else if (system.wakeUps.length > 0) await new Hear().run(model, system);
    else await new Pass().run(model, system);
  }
}
