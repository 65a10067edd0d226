import {
  StepWorker,
  type BoundAction,
  type CoordinatorClient,
  type WakeUp,
  type ResultReply,
  type ResultRequest,
  type StepRun,
} from '@windlass/saga';
import { Crash } from '@windlass/saga/testing';
import { Crashable, type CrashPoints } from './crash-points.js';

export interface SimulatedWorkerOptions {
  service: string;
  actions: readonly BoundAction[];
  coordinator: CoordinatorClient;
  points: () => CrashPoints;
  /** Whether the coordinator has just died, and another answers the next request. */
  coordinatorDied: () => boolean;
  trouble: (error: Error) => void;
}

/** The real worker in a process that may die: before the check, before each change, after the effect, after the report. */
export class SimulatedWorker {
  readonly crashable: Crashable;
  readonly #worker: StepWorker;

  constructor(private readonly options: SimulatedWorkerOptions) {
    const { service, coordinator } = options;
    this.crashable = new Crashable(service);
    this.#worker = new StepWorker({
      service,
      worker: 'simulated',
      actions: options.actions.map((action) => this.#crashableAction(action)),
      coordinator: {
        claim: (request) => this.#asLongAsItLives(() => coordinator.claim(request)),
        renew: (request) => this.#asLongAsItLives(() => coordinator.renew(request)),
        result: (request) => this.#report(request),
      },
      onTrouble: (_claim, error) => {
        if (this.crashable.alive && !(error instanceof Crash)) options.trouble(error);
      },
    });
  }

  /** Answers a wake-up, and works on the step until the step ends, or the worker dies. */
  async answer(wakeUp: WakeUp): Promise<void> {
    const run = await this.#worker.answer(wakeUp);
    await run?.ended;
  }

  /** Repeats a result until a coordinator has answered, as the client over NATS does. */
  async #report(request: ResultRequest): Promise<ResultReply> {
    for (;;) {
      try {
        const reply = await this.#asLongAsItLives(() => this.options.coordinator.result(request));
        this.#reached('after-result', request.stepId);
        return reply;
      } catch (error) {
        if (!(error instanceof Crash) || !this.crashable.alive || !this.options.coordinatorDied()) throw error;
      }
    }
  }

  #asLongAsItLives<T>(ask: () => Promise<T>): Promise<T> {
    return this.crashable.alive ? ask() : Promise.reject(new Crash(`${this.crashable.name} is dead`));
  }

  #reached(point: string, stepId: string): void {
    this.options.points().reached(`${point} of ${stepId}`, this.crashable);
  }

  #crashableAction(action: BoundAction): BoundAction {
    const dying = (run: StepRun): StepRun => ({
      ...run,
      // Actions call this directly before each change outside.
      assertLease: () => {
        run.assertLease();
        this.#reached('before-change', run.stepId);
      },
    });
    const { check, undo, stop } = action;
    return {
      key: action.key,
      retry: action.retry,
      within: action.within,
      ...(check && {
        check: async (run: StepRun) => {
          this.#reached('before-check', run.stepId);
          return check.call(action, dying(run));
        },
      }),
      apply: async (run) => {
        this.#reached('before-apply', run.stepId);
        const result = await action.apply(dying(run));
        this.#reached('after-effect', run.stepId);
        return result;
      },
      ...(undo && {
        undo: async (run: StepRun) => {
          this.#reached('before-undo', run.stepId);
          await undo.call(action, dying(run));
          this.#reached('after-undo', run.stepId);
        },
      }),
      ...(stop && { stop: (run: StepRun) => stop.call(action, run) }),
    };
  }
}
