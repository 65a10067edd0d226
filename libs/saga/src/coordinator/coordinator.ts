import { InvariantError, type Json, type JsonObject, RequestError, TerminalError } from '@windlass/foundation';
import { cancelledReport, reportError, type ErrorReport } from '../engine/error-report.js';
import { SagaMachine } from '../engine/machine.js';
import type { StepOutcome } from '../engine/outcome.js';
import type { EnginePolicy } from '../engine/policy.js';
import { processOf } from '../engine/quarantine.js';
import type { CancelMode, StepRecord } from '../engine/records.js';
import { looksFirst } from '../engine/step-records.js';
import { vacanciesOf } from './vacancies.js';
import type { CompiledPlan } from '../plan/compile.js';
import { resolveReferences, sourcesOf } from '../plan/references.js';
import type { WakeUpSender, Journal, JournalTransaction, OperationOwner } from '../ports.js';
import { AwaitedTimes } from './awaited-times.js';
import { JOURNAL_VERSION, newerJournal } from './journal-version.js';
import { claimedPlaces, keysToGoOn, type Ended, type Move } from './moves.js';
import { claimOf, wakeUpOf } from './claim-of.js';
import { isExtended } from './extended-lease.js';
import { dropUnused, keepPayloads, keepPlan } from './kept-payloads.js';
import { tellOnlooker, type CoordinatorOnlooker } from './onlooker.js';
import { RunningCounts } from './running-counts.js';
import { SharedTransactions, type Committed } from './shared-transactions.js';
import { takenOutcome } from './taken-outcome.js';
import type {
  Claim,
  ClaimReply,
  ClaimRequest,
  CoordinatorClient,
  RenewReply,
  RenewRequest,
  ResultReply,
  ResultRequest,
} from './messages.js';

/** What a {@link Coordinator} needs of its service: the journal, the sender of wake-ups, the owner of the operations, times and limits. */
export interface CoordinatorPorts {
  journal: Journal;
  wakeUpSender: WakeUpSender;
  owner: OperationOwner;
  policy: EnginePolicy;
  /** Is told of what was committed; nothing waits for it. */
  onlooker?: CoordinatorOnlooker;
}

/**
 * Transitions operations: every call is one transaction under the operation's row lock, then wake-ups. What workers ask for at the same time
 * shares one (ADR 83).
 * Any number of coordinators may run; none keeps anything in memory between two calls but how long it has seen the journal's times unchanged; a new one begins to look anew. What the journal keeps of what it has read is its own matter.
 */
export class Coordinator implements CoordinatorClient {
  readonly #times: AwaitedTimes;
  /** Of workers, whose requests come together where many steps of one operation end together. */
  readonly #shared = new SharedTransactions<Move<unknown>, unknown>((operationId, moves) => this.#transact(operationId, moves));

  constructor(private readonly ports: CoordinatorPorts) {
    this.#times = new AwaitedTimes(ports.journal, ports.policy);
  }

  /** Plans an accepted operation and sends the wake-ups of its first steps. Called on a wake-up or by the sweep; a second call changes nothing. */
  async begin(operationId: string): Promise<void> {
    await this.#move(operationId, { beside: true, act: (machine, tx) => this.#plan(machine, tx) });
  }

  async claim(request: ClaimRequest): Promise<ClaimReply> {
    const act = async (machine: SagaMachine, tx: JournalTransaction, counts: RunningCounts): Promise<ClaimReply> => {
      const known = machine.graph.find(request.stepId);
      if (known === undefined) return { granted: false, reason: 'unknown' };
      if (!request.actions.includes(`${known.action}@${known.version}`)) return { granted: false, reason: 'version' };
      const mayRun = known.state === 'ready';
      const quarantined = mayRun && known.losses > 0 ? await tx.quarantinedIn(processOf(request.worker)) : [];
      const counted = mayRun && !looksFirst(known, request.actions);
      const running = counted ? await counts.of(known.limitKeys) : new Map<string, number>();
      const step = machine.claim(request.stepId, {
        actions: request.actions,
        worker: request.worker,
        service: request.service,
        epoch: request.epoch,
        running,
        quarantined,
      });
      if (typeof step === 'string') return { granted: false, reason: step };
      return this.#grant(machine, tx, step);
    };
    const reply = await this.#share(request.operationId, { act, claims: request });
    return reply ?? { granted: false, reason: 'unknown' };
  }

  async renew(request: RenewRequest): Promise<RenewReply> {
    const { journal, policy } = this.ports;
    if (await isExtended(journal, request, policy.lease)) return { verdict: 'journaled', leaseFor: policy.lease };
    const renewal = await this.#share(request.operationId, {
      act: (machine) => machine.renew(request.stepId, request.epoch, request),
    });
    return { ...(renewal ?? { verdict: 'stale' }), leaseFor: policy.lease };
  }

  async result(request: ResultRequest): Promise<ResultReply> {
    const { stepId, epoch, next: wanted } = request;
    const act = async (machine: SagaMachine, tx: JournalTransaction, counts: RunningCounts): Promise<ResultReply> => {
      const step = machine.graph.find(stepId);
      if (step === undefined) return { verdict: 'stale' };
      const outcome = await this.#concealed(tx, await takenOutcome(tx, this.ports.owner, step, request.outcome));
      const isNews = step.resultEpoch !== epoch;
      const { inserted, notify } = machine.effects;
      const before = { inserted: inserted.length, notified: notify.length };
      const verdict = machine.result(stepId, epoch, outcome);
      if (verdict === 'stale') return { verdict };
      if (isNews) await keepPayloads(tx, step, outcome, inserted.length > before.inserted);
      // Behind them a step of this worker may have become ready, too.
      await this.#runInlineSteps(machine, tx);
      const ended = { step, wanted, notified: isNews ? before.notified : undefined };
      const next = await this.#next(machine, tx, ended, machine.waited(step, epoch) ? counts : undefined);
      return { verdict, ...(next === undefined ? {} : { next }) };
    };
    const move = { act, ...(wanted === undefined ? {} : { goesOn: { stepId, epoch } }) };
    return (await this.#share(request.operationId, move)) ?? { verdict: 'stale' };
  }

  /**
   * FAILED_TEMP: go on.
   * @param prepare changes what its steps will be given, in the same transaction, once it is clear that it can be retried
   * @throws RequestError 404 unknown, 409 in another state
   */
  async retry(operationId: string, prepare?: (tx: JournalTransaction) => Promise<void>): Promise<void> {
    await this.#task(operationId, async (machine, tx) => {
      machine.retry();
      await prepare?.(tx);
    });
  }

  /** FAILED_TEMP: take it back. @throws RequestError 404 unknown, 409 in another state or past the pivot. */
  async rollback(operationId: string): Promise<void> {
    await this.#task(operationId, (machine) => machine.rollback());
  }

  /** FAILED_TEMP: leave it as it is. @throws RequestError 404 unknown, 409 in another state. */
  async abandon(operationId: string): Promise<void> {
    await this.#task(operationId, (machine) => machine.abandon());
  }

  /** Stops it. @throws RequestError 404 unknown, 409 in another state. */
  async cancel(operationId: string, mode: CancelMode): Promise<void> {
    await this.#task(operationId, (machine) => machine.cancel(mode));
  }

  /**
   * One round over what is due; returns how many operations it looked at.
   * @throws AggregateError when some could not be moved, after all others were.
   */
  async sweep(limit = 200): Promise<number> {
    const looked = await this.#times.look(limit);
    const due = [...new Set([...looked.overdue.slice(0, limit), ...looked.due])];
    const failures: unknown[] = [];
    for (const operationId of due) {
      try {
        await this.#sweepOne(operationId);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length === 0) return due.length;
    const [first] = failures;
    const reason = first instanceof Error ? first.message : String(first);
    throw new AggregateError(failures, `${failures.length} of ${due.length} operations could not be moved: ${reason}`);
  }

  async #sweepOne(operationId: string): Promise<void> {
    await this.#move(operationId, {
      sweeping: true,
      act: async (machine, tx) => {
        await this.#plan(machine, tx);
        machine.sweep((step, kind) => this.#times.isUp(step, kind));
      },
    });
  }

  /** Sends a wake-up for every ready step, after the streams were lost and made anew. */
  async wakeAll(): Promise<void> {
    for (const operationId of await this.ports.journal.withReadySteps()) {
      const wakeUps = await this.ports.journal.transact(operationId, (tx) =>
        Promise.resolve(tx.steps.filter((step) => step.state === 'ready' && step.traits.inline !== true).map(wakeUpOf)),
      );
      if (wakeUps !== undefined) await this.ports.wakeUpSender.notify(wakeUps);
    }
  }

  async #plan(machine: SagaMachine, tx: JournalTransaction): Promise<void> {
    if (machine.operation.status !== 'accepted') return;
    let plan: CompiledPlan;
    try {
      plan = await this.ports.owner.plan(tx);
    } catch (error) {
      machine.refuse(await this.#report(tx, error));
      return;
    }
    await keepPlan(tx, '', plan);
    machine.begin(plan);
  }

  async #task(operationId: string, act: (machine: SagaMachine, tx: JournalTransaction) => void | Promise<void>): Promise<void> {
    const found = await this.#move(operationId, {
      act: async (machine, tx) => {
        await act(machine, tx);
        return true;
      },
    });
    if (found === undefined) throw new RequestError(404, 'operation.unknown', `there is no operation ${operationId}`);
  }

  async #grant(machine: SagaMachine, tx: JournalTransaction, step: StepRecord): Promise<ClaimReply> {
    if (step.phase === 'undo' && (await tx.readPayload(step.id, 'resolved')) === undefined) {
      // It was claimed but never got its input, so it did nothing that could be undone.
      machine.result(step.id, step.epoch, { kind: 'done' });
      return { granted: false, reason: 'not-ready' };
    }
    let input: JsonObject;
    try {
      input = await this.#inputOf(machine, tx, step);
    } catch (error) {
      // It has no input, so no worker has it.
      const report: ErrorReport = { ...(await this.#report(tx, error)), nothingDone: true };
      machine.result(step.id, step.epoch, { kind: 'failed', error: report, retry: { attempts: 1, backoff: 0 } });
      return { granted: false, reason: 'not-ready' };
    }
    const { journal, policy } = this.ports;
    const crowded = step.limitKeys.some((key) => journal.isCrowded?.(key) === true);
    const claim = { ...claimOf(machine.operation, step, input), leaseFor: policy.lease, ...(crowded ? { crowded } : {}) };
    return { granted: true, claim };
  }

  /**
   * Undo works from the input of the first claim; doing resolves its references anew each time. What may be undone is told by the machine:
   * the input of any other step, with the passwords in it, is resolved and not kept.
   */
  async #inputOf(machine: SagaMachine, tx: JournalTransaction, step: StepRecord): Promise<JsonObject> {
    const undoable = machine.mayBeUndone(step);
    // What is asked for together, the journal may read together.
    const [first, unresolved] = await Promise.all([
      undoable ? tx.readPayload(step.id, 'resolved') : undefined,
      tx.readPayload(step.id, 'input'),
    ]);
    if (step.phase === 'undo' && first !== undefined) return first as JsonObject;
    const input = (unresolved ?? {}) as JsonObject;
    const found = await Promise.all(
      [...sourcesOf(input)].map(async (source) => [source, await this.#source(tx, step, source)] as const),
    );
    const sources = new Map(found.flatMap(([source, value]) => (value === undefined ? [] : [[source, value] as const])));
    const resolved = resolveReferences(input, sources);
    if (undoable && first === undefined) await tx.writePayload(step.id, 'resolved', resolved);
    return resolved;
  }

  async #source(tx: JournalTransaction, step: StepRecord, source: string): Promise<Json | undefined> {
    if (step.parentId !== null && !this.ports.owner.mayRead(tx, step, source))
      throw new TerminalError('plan.refused', `step "${step.id}" is not to be given the source "${source}"`);
    if (source.startsWith('step:')) return (await tx.readPayload(source.slice('step:'.length), 'output')) ?? null;
    if (source.startsWith('common:')) return tx.readPayload(source.slice('common:'.length), 'common');
    return this.ports.owner.source(tx, source);
  }

  /**
   * What the worker of a result goes on with; of a repeated one (`notified` undefined), what it was given with the first. Behind a step that held no places they
   * are counted as for any claim (`counts`).
   */
  async #next(
    machine: SagaMachine,
    tx: JournalTransaction,
    { step, wanted, notified }: Ended,
    counts: RunningCounts | undefined,
  ): Promise<Claim | undefined> {
    if (wanted === undefined) return undefined;
    if (notified === undefined) {
      const held = machine.followed(step, wanted.worker);
      return held && this.#again(machine, tx, held);
    }
    const following = machine.following(step, wanted.actions, notified);
    if (following === undefined) return undefined;
    const { service, epoch, limitKeys } = following;
    const counted = looksFirst(following, wanted.actions) ? undefined : counts;
    const running = (await counted?.of(limitKeys)) ?? new Map<string, number>();
    const claimed = machine.claim(following.id, { ...wanted, service, epoch, running, quarantined: [] });
    if (typeof claimed === 'string') {
      // It is kept out, and is called when there is a place.
      machine.effects.notify.splice(machine.effects.notify.indexOf(following), 1);
      return undefined;
    }
    const reply = await this.#grant(machine, tx, claimed);
    return reply.granted ? reply.claim : undefined;
  }

  /** A claim as it was given before, for what is left of its lease. Where it has no input any more, that ends. */
  async #again(machine: SagaMachine, tx: JournalTransaction, held: StepRecord): Promise<Claim | undefined> {
    const left = (held.leaseUntil?.getTime() ?? 0) - tx.now.getTime();
    if (left <= 0) return undefined;
    const input = await this.#inputOf(machine, tx, held).catch(() => undefined);
    return input && { ...claimOf(machine.operation, held, input), leaseFor: left };
  }

  async #share<T>(operationId: string, move: Move<T>): Promise<T | undefined> {
    return (await this.#shared.ask(operationId, { beside: true, ...move })) as T | undefined;
  }

  /** A transaction of its own. */
  async #move<T>(operationId: string, move: Move<T>): Promise<T | undefined> {
    const [committed] = await this.#transact(operationId, [move]);
    await committed?.afterCommit();
    return committed?.answer as T | undefined;
  }

  /**
   * One transaction: the machine moves, inline steps run, the owner writes its part, all is saved; then the wake-ups are sent.
   * @returns what became of each, in their order; without an answer where there is no such operation, or it is left to others
   */
  async #transact(operationId: string, moves: readonly Move<unknown>[]): Promise<Committed<unknown>[]> {
    const { journal, owner, policy } = this.ports;
    const sweeping = moves.some((move) => move.sweeping === true);
    const committed = await journal.transact(
      operationId,
      async (tx) => {
        if (tx.operation.journalVersion > JOURNAL_VERSION) {
          if (sweeping) return undefined;
          throw newerJournal(tx.operation);
        }
        const machine = new SagaMachine(tx.operation, tx.steps, tx.now, policy);
        const couldRollBack = machine.claimedPivot() === undefined;
        const answers = await this.#acted(machine, tx, moves);
        const { statuses, milestones, inserted, changed, moved } = machine.effects;
        await owner.moved(tx, { statuses, milestones, steps: [...moved] });
        await dropUnused(tx, machine, couldRollBack);
        await tx.save({ inserted, changed: [...changed].filter((step) => !inserted.includes(step)) });
        return { answers, machine };
      },
      { skipLocked: sweeping, beside: moves.every(({ beside = false }) => beside) },
    );
    if (committed === undefined) return moves.map(() => ({ answer: undefined, afterCommit: () => Promise.resolve() }));
    const after = this.#afterCommit(committed.machine);
    // Each of them waits for it, and is told what came of it.
    after.catch(() => undefined);
    return committed.answers.map((answer) => ({ answer, afterCommit: () => after }));
  }

  async #acted(machine: SagaMachine, tx: JournalTransaction, moves: readonly Move<unknown>[]): Promise<unknown[]> {
    const running = new RunningCounts(tx, machine.graph, this.ports.policy.limitOf);
    const ready = claimedPlaces(machine, moves);
    if (moves.length > 1) {
      // The process that holds it is locked before limits are, and one claim knows of one alone.
      if (ready.some(({ losses }) => losses > 0)) throw new InvariantError('a step that was lost is claimed alone');
      await running.expect([...ready.flatMap(({ limitKeys }) => limitKeys), ...keysToGoOn(machine, moves)]);
    }
    const answers: unknown[] = [];
    for (const { act } of moves) {
      answers.push(await act(machine, tx, running));
      await this.#runInlineSteps(machine, tx);
    }
    return answers;
  }

  async #runInlineSteps(machine: SagaMachine, tx: JournalTransaction): Promise<void> {
    for (let step = machine.nextInline(); step !== undefined; step = machine.nextInline())
      await this.#runInline(machine, tx, step);
  }

  async #runInline(machine: SagaMachine, tx: JournalTransaction, step: StepRecord): Promise<void> {
    try {
      const output = await this.ports.owner.runInline(tx, step, step.phase, await this.#inputOf(machine, tx, step));
      if (step.phase === 'do' && output !== undefined) await tx.writePayload(step.id, 'output', output);
      machine.inlineResult(step, { kind: 'done' });
    } catch (error) {
      machine.inlineResult(step, { kind: 'failed', error: await this.#report(tx, error) });
    }
  }

  /** A caught error as it is journaled. */
  async #report(tx: JournalTransaction, error: unknown): Promise<ErrorReport> {
    const report = reportError(error);
    return (await this.ports.owner.concealed?.(tx, report)) ?? report;
  }

  /** What went wrong on a worker's side, told without what it quotes of the operation's secrets. */
  async #concealed(tx: JournalTransaction, outcome: StepOutcome): Promise<StepOutcome> {
    const { owner } = this.ports;
    if (owner.concealed === undefined) return outcome;
    if (outcome.kind === 'failed') return { ...outcome, error: await owner.concealed(tx, outcome.error) };
    if (outcome.kind !== 'cancelled') return outcome;
    const { detail } = await owner.concealed(tx, cancelledReport(outcome));
    return { ...outcome, detail };
  }

  async #afterCommit(machine: SagaMachine): Promise<void> {
    tellOnlooker(this.ports.onlooker, machine);
    const wakeUps = machine.effects.notify.filter((step) => step.state === 'ready').map(wakeUpOf);
    const vacancies = vacanciesOf(machine.effects, this.ports.policy);
    if (vacancies.length > 0) wakeUps.push(...(await this.ports.journal.waiting(vacancies)));
    if (wakeUps.length > 0) await this.ports.wakeUpSender.notify(wakeUps);
  }
}
