import { describeDuration, InvariantError, seconds, TerminalError, TransientError, type Duration } from '@windlass/foundation';
import type { Claim, ClaimReply, CoordinatorClient, ResultRequest, WorkerOutcome } from '../coordinator/messages.js';
import { reportError } from '../engine/error-report.js';
import { causeOf, NothingDone } from '../engine/nothing-done.js';
import { mismatchOf, type SchemaMismatch } from '../plan/input-schema.js';
import type { WakeUp } from '../ports.js';
import { ExpandInto, NotThere, Present, type BoundAction, type StepRun } from './action.js';
import { deadline, Lease, type Deadline } from './lease.js';
import { Place } from './place.js';

/** Claims that a worker remembers to have begun: far more than it runs. */
const MOST_REMEMBERED = 10_000;

/**
 * Runs of one worker that only wait, at most. Each is renewed three times a lease; those above hold their places as if they worked, so that there is an end to it.
 */
const MOST_WAITING = 1_000;

/** Runs at most that go on from one that has waited, beside those that wake-ups have begun: as many as a service of ours runs of those. */
const MOST_BESIDE = 64;

/** What a {@link StepWorker} runs, for which service, and whom it reports to. */
export interface WorkerOptions {
  service: string;
  /** Names this replica: `<service>@<process>`, say by host, process id and a mark, so that no two processes have the same. */
  worker: string;
  actions: readonly BoundAction[];
  coordinator: CoordinatorClient;
  /** Wraps each run, for logs and traces; it must run it once, and pass on how it ended. */
  around?: AroundStep;
  /** Told of what must not pass in silence: a run that ended without its result journaled, an invariant broken. */
  onTrouble: (claim: Claim, error: Error) => void;
  /** How long an action that was told to end may go on before it is left alone; 10 s by default. */
  endWithin?: Duration;
}

/** How a run of a step ended: what was reported, or `lease-lost` where another claim speaks for the step by now, or nobody here knows that none does. */
export interface StepEnd {
  kind: WorkerOutcome['kind'] | 'lease-lost';
  /** Of the error, where it failed: `stack.create-failed`. */
  code?: string;
}

/** Wraps the run of a step, as a log does. It calls `run` once and returns what that returned. */
export type AroundStep = (claim: Claim, run: () => Promise<StepEnd>) => Promise<StepEnd>;

/** This worker's release lacks the action's version. Another worker of the service may have it, so the wake-up is given back for a while. */
export class LacksAction extends TransientError {
  constructor({ operationId, stepId }: WakeUp, worker: string) {
    super(
      'worker.lacks-action',
      `${worker} does not have the action, or its version, of step "${stepId}" of operation ${operationId}: the step is left to another worker of the service`,
    );
  }
}

/** Runs the steps of one service: claims what a wake-up speaks of, works under the lease, reports until it is journaled. */
export class StepWorker {
  readonly #actions: ReadonlyMap<string, BoundAction>;
  readonly #running = new Map<string, Lease>();
  /** Of each run that a wake-up began, the end of it and of what followed. */
  readonly #ended = new Set<Promise<void>>();
  /** The claims that were begun here: none is begun twice. */
  readonly #begun = new Set<string>();
  #stopping = false;
  #waiting = 0;
  /** Runs that go on from one that has left its place. */
  #beside = 0;

  constructor(private readonly options: WorkerOptions) {
    this.#actions = new Map(options.actions.map((action) => [action.key, action]));
  }

  get runningCount(): number {
    return this.#running.size;
  }

  /**
   * Claims a step. The wake-up's message can be acknowledged when this resolves: what follows is the lease's matter.
   * @returns the run, or undefined when there was nothing to claim. `left`: it has ended, or only waits, and its worker takes another in its place
   * @throws what the coordinator client throws when no coordinator answers: then the message is not to be acknowledged; {@link LacksAction}
   */
  async answer(wakeUp: WakeUp, signal?: AbortSignal): Promise<{ ended: Promise<void>; left: Promise<void> } | undefined> {
    if (this.#stopping) throw new TransientError('worker.stopping', `${this.options.service} is stopping`);
    const sentAt = performance.now();
    const reply: ClaimReply = await this.options.coordinator.claim(
      {
        operationId: wakeUp.operationId,
        stepId: wakeUp.stepId,
        epoch: wakeUp.epoch,
        service: this.options.service,
        worker: this.options.worker,
        actions: [...this.#actions.keys()],
      },
      signal,
    );
    if (!reply.granted && reply.reason === 'version') throw new LacksAction(wakeUp, this.options.worker);
    if (!reply.granted) return undefined;
    const place = new Place();
    const ended = this.#begin(reply.claim, { leaseFor: reply.claim.leaseFor, sentAt }, place);
    return ended && { ended, left: place.left };
  }

  /** Runs a claim and what follows it, until all has ended; undefined where it was begun before. */
  #begin(claim: Claim, { leaseFor, sentAt }: Held, place: Place): Promise<void> | undefined {
    const key = `${claim.operationId} ${claim.stepId} ${claim.epoch}`;
    // A repeated result may be answered with what a wake-up has brought as well.
    if (this.#begun.has(key)) return undefined;
    this.#begun.add(key);
    for (const oldest of this.#begun) if (this.#begun.size > MOST_REMEMBERED) this.#begun.delete(oldest);
    const lease = new Lease(claim, this.options.coordinator, leaseFor, sentAt, (error) => this.#trouble(claim, error));
    // Told to stop while the claim was under way: it is handed back before anything begins.
    if (this.#isStopping()) lease.end('detached');
    const around: AroundStep = this.options.around ?? ((_claim, run) => run());
    const followed: Following = { place };
    const ended: Promise<void> = around(claim, () => this.#run(claim, lease, followed))
      .then(
        () => undefined,
        (error: unknown) => this.#trouble(claim, error),
      )
      .finally(() => {
        lease.close();
        this.#running.delete(key);
        if (place.waits) this.#waiting -= 1;
      })
      .then(() => this.#goOn(followed))
      .finally(() => this.#ended.delete(ended));
    this.#running.set(key, lease);
    this.#ended.add(ended);
    return ended;
  }

  /** Begins what the answer to a result has brought, and ends with it. */
  async #goOn({ next, sentAt = 0, place }: Following): Promise<void> {
    try {
      const held = next && (await this.#held(next, sentAt));
      if (next !== undefined && held !== undefined) await this.#begin(next, held, place);
    } catch (error) {
      // Its lease runs out, and another worker takes it.
      if (next !== undefined) this.#trouble(next, error);
    } finally {
      place.leave();
    }
  }

  /** A run leaves its place and is told of as waiting, as long as not too many are. */
  #wait(lease: Lease, place: Place): void {
    if (place.waits || this.#waiting >= MOST_WAITING) return;
    this.#waiting += 1;
    place.waits = true;
    lease.onlyWaits();
    place.leave();
  }

  /** For a run that goes on: the place of the one before, or, where that has left it, one of a few beside; undefined where these are taken. */
  #following(place: Place): Place | undefined {
    if (!place.waits) return place;
    if (this.#beside >= MOST_BESIDE) return undefined;
    this.#beside += 1;
    return new Place(() => (this.#beside -= 1));
  }

  /** A result may have been repeated for long before it was answered. Then how long its claim holds is asked for. */
  async #held(claim: Claim, sentAt: number): Promise<Held | undefined> {
    const { operationId, stepId, epoch, leaseFor } = claim;
    if (performance.now() - sentAt < leaseFor / 3) return { leaseFor, sentAt };
    const askedAt = performance.now();
    const renewal = await this.options.coordinator.renew({ operationId, stepId, epoch });
    return renewal.verdict === 'journaled' ? { leaseFor: renewal.leaseFor, sentAt: askedAt } : undefined;
  }

  #trouble(claim: Claim, error: unknown): void {
    this.options.onTrouble(claim, error instanceof Error ? error : new Error(String(error)));
  }

  /** Detaches from all runs and hands their steps back; what runs on hosts goes on. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const lease of this.#running.values()) lease.end('detached');
    await Promise.all(this.#ended);
  }

  #isStopping(): boolean {
    return this.#stopping;
  }

  async #run(claim: Claim, lease: Lease, followed: Following): Promise<StepEnd> {
    const action = this.#actions.get(`${claim.action}@${claim.version}`);
    if (action === undefined)
      throw new InvariantError(`claimed ${claim.action}@${claim.version}, which ${this.options.service} doesn't have`);
    const { place } = followed;
    const outcome = await this.#outcomeOf(claim, action, lease, () => this.#wait(lease, place));
    if (outcome === undefined) return { kind: 'lease-lost' };
    const { operationId, stepId, epoch } = claim;
    const request = { operationId, stepId, epoch, outcome, ...this.#wanted(outcome, followed) };
    if (!(await this.#report(request, lease, followed))) return { kind: 'lease-lost' };
    return { kind: outcome.kind, ...(outcome.kind === 'failed' ? { code: outcome.error.code } : {}) };
  }

  /** What a result asks to go on with: a step that is done has made others ready. */
  #wanted({ kind }: WorkerOutcome, followed: Following): Pick<ResultRequest, 'next'> {
    if (kind !== 'done' || this.#stopping) return {};
    const place = this.#following(followed.place);
    if (place === undefined) return {};
    followed.place = place;
    return { next: { worker: this.options.worker, actions: [...this.#actions.keys()] } };
  }

  /** Undefined when the lease is lost: whoever holds it now speaks for the step. */
  async #outcomeOf(claim: Claim, action: BoundAction, lease: Lease, onlyWaits: () => void): Promise<WorkerOutcome | undefined> {
    const limit = deadline(action.within, lease.signal);
    const { signal } = limit;
    const run = runOf(claim, lease, signal, onlyWaits);
    try {
      const outcome = await settled(
        claim.phase === 'undo' ? undo(action, run) : perform(action, run, claim),
        signal,
        this.options.endWithin ?? seconds(10),
      );
      if (lease.reason !== 'lease-lost') return outcome;
    } catch (error) {
      if (lease.reason === undefined) return this.#failure(claim, action, signal.aborted ? overdueAs(error, action) : error);
    } finally {
      limit.stop();
    }
    if (lease.reason === 'detached') return { kind: 'released' };
    if (lease.reason === 'cancelled') return this.#cancelled(action, endingRun(run, lease));
    return undefined;
  }

  #failure(claim: Claim, action: BoundAction, thrown: unknown): WorkerOutcome {
    const error = causeOf(thrown);
    const report = reportError(thrown);
    if (report.kind === 'invariant') this.options.onTrouble(claim, error instanceof Error ? error : new Error(String(error)));
    return { kind: 'failed', error: report, retry: action.retry };
  }

  async #cancelled(action: BoundAction, run: StepRun): Promise<WorkerOutcome> {
    try {
      const confirmed = (await action.stop?.(run)) ?? true;
      return {
        kind: 'cancelled',
        confirmed,
        detail: confirmed ? 'stopped on request' : 'not confirmed stopped: its host could not be reached',
      };
    } catch (error) {
      return { kind: 'cancelled', confirmed: false, detail: `not confirmed stopped: ${reportError(error).detail}` };
    }
  }

  /** Repeats until the coordinator answers. A stale verdict ends it: another claim speaks for the step. @returns whether it is known to be journaled */
  async #report(request: ResultRequest, lease: Lease, followed: Following): Promise<boolean> {
    const { kind } = request.outcome;
    followed.sentAt = performance.now();
    const limit = kind === 'done' || kind === 'expand' ? patience(lease) : undefined;
    try {
      const reply = await this.options.coordinator.result(request, limit?.signal);
      if (reply.next !== undefined) followed.next = reply.next;
      return reply.verdict !== 'stale';
    } catch (error) {
      // It was journaled and only its answer lost, or another claim speaks for the step: a renewal that was refused doesn't tell which.
      if (lease.reason !== 'lease-lost') throw error;
      return false;
    } finally {
      limit?.stop();
    }
  }
}

/** How long a claim holds, in milliseconds, from when on our steady clock. */
interface Held {
  leaseFor: number;
  sentAt: number;
}

/** What came with the answer to a result, and when that was sent first; the place of the run, or of the one that goes on from it. */
interface Following {
  place: Place;
  next?: Claim;
  sentAt?: number;
}

/**
 * A result is repeated as long as the lease is renewed. A renewal is refused also where the result itself has been journaled, and only its answer, with the claim
 * of the next step in it, is still on its way: so it is waited for until that claim has ended, too.
 */
function patience(lease: Lease): Deadline {
  const given = new AbortController();
  let over: NodeJS.Timeout | undefined;
  const lost = (): void => {
    if (lease.reason === 'lease-lost') over = setTimeout(() => given.abort(lease.signal.reason), lease.duration);
  };
  lease.signal.addEventListener('abort', lost, { once: true });
  return {
    signal: given.signal,
    stop: () => {
      clearTimeout(over);
      lease.signal.removeEventListener('abort', lost);
    },
  };
}

async function perform(action: BoundAction, run: StepRun, { recheck, restored = false }: Claim): Promise<WorkerOutcome> {
  const mismatch = mismatchWith(action, run);
  if (mismatch !== undefined)
    throw new NothingDone(
      new TerminalError(
        'step.input-refused',
        `${action.key} does not take the input of step "${run.stepId}": ${mismatch.path} ${mismatch.reason}. Nothing was done`,
      ),
    );
  if (action.check === undefined) {
    if (recheck) return { kind: 'done' };
  } else {
    const there = await action.check(run);
    if (there instanceof Present) return { kind: 'done', ...(there.output === undefined ? {} : { output: there.output }) };
    if (there) return { kind: 'done' };
  }
  if (restored) throw notKnown(run);
  run.assertLease();
  const result = await action.apply(run);
  if (result instanceof ExpandInto) return { kind: 'expand', plan: result.plan };
  if (result instanceof NotThere) return { kind: 'released' };
  return { kind: 'done', ...(result === undefined ? {} : { output: result }) };
}

/** It may have been half-way, done, or undone by others since. To do it again is a person's decision. */
const notKnown = ({ stepId, target }: StepRun): TerminalError =>
  new TerminalError(
    'step.restored',
    `restored: what "${stepId}"${target === null ? '' : ` on ${target}`} did is not known: it ran when the backup was taken, and nothing shows that it is done. Look there, then retry the operation (what is not there is done again), roll it back, or mark it as failed`,
  );

/** Where its input is not what the action declares. */
const mismatchWith = ({ accepts }: BoundAction, { input }: StepRun): SchemaMismatch | undefined =>
  accepts === undefined ? undefined : mismatchOf(input, accepts);

async function undo(action: BoundAction, run: StepRun): Promise<WorkerOutcome> {
  run.assertLease();
  // It was refused before anything was done.
  if (mismatchWith(action, run) !== undefined) return { kind: 'done' };
  await action.undo?.(run);
  return { kind: 'done' };
}

/** Ends with the work; or, a while after the signal, without it: an action that ignores its signal must not hold up a stop for ever. */
async function settled<T>(work: Promise<T>, signal: AbortSignal, grace: Duration): Promise<T> {
  const left = new Promise<never>((_resolve, reject) => {
    const giveUp = () => setTimeout(() => reject(signal.reason as Error), grace).unref();
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
  return Promise.race([work, left]);
}

/** Its time is over; what it had done by then is as it was. */
const overdueAs = (error: unknown, action: BoundAction): Error =>
  error instanceof NothingDone ? new NothingDone(overdue(action)) : overdue(action);

const overdue = (action: BoundAction): TerminalError =>
  new TerminalError(
    'step.overdue',
    `${action.key} did not end within ${action.within === undefined ? 'its time' : describeDuration(action.within)}`,
  );

/** What a cancelled action's `stop` works with: its signal has aborted, and with it all that was bound to it; the lease still stands. */
const endingRun = (run: StepRun, lease: Lease): StepRun => ({
  ...run,
  signal: new AbortController().signal,
  assertLease: () => lease.assertHeld(),
});

function runOf(claim: Claim, lease: Lease, signal: AbortSignal, onlyWaits: () => void): StepRun {
  return {
    operationId: claim.operationId,
    stepId: claim.stepId,
    epoch: claim.epoch,
    attempt: claim.attempt,
    attemptEpoch: claim.attemptEpoch,
    resumed: claim.resumed,
    phase: claim.phase,
    target: claim.target,
    tenant: claim.tenant,
    input: claim.input,
    signal,
    assertLease: () => {
      lease.assert();
      signal.throwIfAborted();
    },
    leaseLeft: () => lease.left,
    progress: (line) => lease.progress(line),
    onlyWaits,
  };
}
