import type { Duration, Json } from '@windlass/foundation';
import { defaultPolicy } from '../engine/policy.js';
import type { OperationRecord, StepRecord } from '../engine/records.js';
import { holdsPlaces } from '../engine/step-records.js';
import { processOf } from '../engine/quarantine.js';
import { awaitedTimes } from '../coordinator/awaited-times.js';
import type { HeldClaim, WakeUp, Journal, JournalLook, JournalTransaction, LimitUse, PayloadKind, Vacancy } from '../ports.js';

/** Thrown by a journal that was told to die: before the commit, nothing of the transaction is kept; after it, everything. */
export class Crash extends Error {}

/**
 * The writes of a transaction in memory, for fakes of the owner's records, whose writes are kept with the journal's commit or not
 * at all.
 */
export class MemoryHandle {
  readonly #written = new Map<string, unknown>();
  readonly #keep: (() => void)[] = [];

  /** The transaction's own last write under this key. */
  read(key: string): unknown {
    return this.#written.get(key);
  }

  /** @param keep makes the write stand; called at the commit, in the order of the writes */
  write(key: string, value: unknown, keep: () => void): void {
    this.#written.set(key, value);
    this.#keep.push(keep);
  }

  /** Has `keep` called at the commit, after earlier writes. */
  atCommit(keep: () => void): void {
    this.#keep.push(keep);
  }

  commit(): void {
    for (const keep of this.#keep.splice(0)) keep();
  }
}

/** A journal in memory on a clock that the test advances. It passes the same contract suite as PostgreSQL's journal. */
export class MemoryJournal implements Journal {
  now = new Date('2026-01-01T00:00:00Z');
  readonly operations = new Map<string, OperationRecord>();
  readonly steps = new Map<string, StepRecord[]>();
  readonly payloads = new Map<string, Json>();
  /** Called before and after each commit; may throw {@link Crash}. */
  atCommit: (when: 'before' | 'after') => void = () => undefined;
  #steady = 0;
  #tail: Promise<unknown> = Promise.resolve();

  accept(operation: Partial<OperationRecord> & { id: string }): void {
    this.operations.set(operation.id, {
      kind: 'TEST',
      tenant: 'test',
      status: 'accepted',
      stopsInto: null,
      milestone: null,
      cancel: null,
      failure: null,
      journalVersion: 1,
      statusSince: this.now,
      ...operation,
    });
    this.steps.set(operation.id, []);
  }

  pass(milliseconds: number): void {
    this.jump(milliseconds);
    this.#steady += milliseconds;
  }

  /** Sets the database's clock without letting time pass. */
  jump(milliseconds: number): void {
    this.now = new Date(this.now.getTime() + milliseconds);
  }

  steady(): number {
    return this.#steady;
  }

  look(): Promise<JournalLook> {
    return Promise.resolve({ now: this.now, times: [...this.steps.values()].flat().flatMap(awaitedTimes), due: this.#due() });
  }

  async transact<T>(operationId: string, work: (tx: JournalTransaction) => Promise<T>): Promise<T | undefined> {
    const turn = this.#tail.then(() => this.#transact(operationId, work));
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  async extend({ operationId, stepId, epoch, progress }: HeldClaim, lease: Duration): Promise<boolean> {
    const extended = this.#tail.then(() => {
      const { status, cancel } = this.operations.get(operationId) ?? {};
      const step = this.step(operationId, stepId);
      if (step?.state !== 'running' || step.epoch !== epoch || (status === 'stopping' && cancel === 'FORCEFUL')) return false;
      this.atCommit('before');
      step.leaseUntil = new Date(this.now.getTime() + lease);
      step.progress = progress ?? step.progress;
      this.atCommit('after');
      return true;
    });
    this.#tail = extended.catch(() => undefined);
    return extended;
  }

  #due(): string[] {
    const due = [...this.operations.values()].filter(
      ({ id, status }) => status === 'accepted' || this.#stepsOf(id).some((step) => this.#isDue(step)),
    );
    return due.map(({ id }) => id);
  }

  waiting(vacancies: readonly Vacancy[]): Promise<WakeUp[]> {
    const ready = [...this.steps.values()].flat().filter(({ state }) => state === 'ready');
    const steps = vacancies
      .filter(({ key, limit }) => limit === null || this.#running(key) < limit)
      .flatMap(({ key, most }) => ready.filter(({ blockedOn }) => blockedOn === key).slice(0, most));
    return Promise.resolve(steps.map(({ operationId, id, epoch, service }) => ({ operationId, stepId: id, epoch, service })));
  }

  limitUse(): Promise<LimitUse[]> {
    const steps = [...this.steps.values()].flat().filter(({ state }) => state === 'running' || state === 'ready');
    const keys = [...new Set(steps.flatMap(({ limitKeys }) => limitKeys))].sort();
    const waiting = (key: string): number => steps.filter((step) => step.state === 'ready' && step.blockedOn === key).length;
    return Promise.resolve(keys.map((key) => ({ key, running: this.#running(key), waiting: waiting(key) })));
  }

  withReadySteps(): Promise<string[]> {
    return Promise.resolve([...this.operations.keys()].filter((id) => this.#stepsOf(id).some((step) => step.state === 'ready')));
  }

  step(operationId: string, id: string): StepRecord | undefined {
    return this.#stepsOf(operationId).find((step) => step.id === id);
  }

  #stepsOf(operationId: string): StepRecord[] {
    return this.steps.get(operationId) ?? [];
  }

  #isDue(step: StepRecord): boolean {
    if (step.state !== 'ready' || step.nextAttemptAt !== null) return false;
    const since = step.rungAt === null ? Number.POSITIVE_INFINITY : this.now.getTime() - step.rungAt.getTime();
    return since >= defaultPolicy.wakeUpAgainAfter(step.rings) || since < -1_000;
  }

  async #transact<T>(operationId: string, work: (tx: JournalTransaction) => Promise<T>): Promise<T | undefined> {
    const stored = this.operations.get(operationId);
    if (stored === undefined) return undefined;
    const operation = structuredClone(stored);
    const steps = structuredClone(this.#stepsOf(operationId));
    const written = new Map<string, Json>();
    const dropped = new Set<PayloadKind>();
    const handle = new MemoryHandle();
    let saved: readonly StepRecord[] = [];
    const answer = await work({
      operation,
      steps,
      now: this.now,
      handle,
      readPayload: (stepId, kind) => {
        const key = payloadKey(operationId, stepId, kind);
        const value = written.get(key) ?? (dropped.has(kind) ? undefined : this.payloads.get(key));
        return Promise.resolve(value === undefined ? undefined : structuredClone(value));
      },
      writePayload: (stepId, kind, value) => {
        written.set(payloadKey(operationId, stepId, kind), structuredClone(value));
        return Promise.resolve();
      },
      dropPayloads: (kinds) => {
        for (const key of written.keys()) if (isOfKind(key, operationId, kinds)) written.delete(key);
        for (const kind of kinds) dropped.add(kind);
        return Promise.resolve();
      },
      countRunning: (wanted) => Promise.resolve(new Map(wanted.map(({ key }) => [key, this.#running(key)]))),
      quarantinedIn: (process) => Promise.resolve(this.#quarantinedIn(process)),
      save: ({ inserted }) => {
        saved = inserted;
        return Promise.resolve();
      },
    });
    this.atCommit('before');
    this.operations.set(operationId, operation);
    this.steps.set(operationId, structuredClone([...steps, ...saved]));
    for (const key of this.payloads.keys()) if (isOfKind(key, operationId, [...dropped])) this.payloads.delete(key);
    for (const [key, value] of written) this.payloads.set(key, value);
    handle.commit();
    this.atCommit('after');
    return answer;
  }

  #quarantinedIn(process: string): number[] {
    const running = [...this.steps.values()].flat().filter(({ state, losses }) => state === 'running' && losses > 0);
    return running.filter(({ owner }) => owner !== null && processOf(owner) === process).map(({ losses }) => losses);
  }

  #running(key: string): number {
    return [...this.steps.values()].flat().filter((step) => holdsPlaces(step) && step.limitKeys.includes(key)).length;
  }
}

const payloadKey = (operationId: string, stepId: string, kind: PayloadKind): string => `${operationId} ${stepId} ${kind}`;

const isOfKind = (key: string, operationId: string, kinds: readonly PayloadKind[]): boolean =>
  key.startsWith(`${operationId} `) && kinds.some((kind) => key.endsWith(` ${kind}`));
