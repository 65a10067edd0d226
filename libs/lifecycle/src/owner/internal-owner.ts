import {
  InvariantError,
  millis,
  minutes,
  seconds,
  toJson,
  type Duration,
  type Json,
  type JsonObject,
} from '@windlass/foundation';
import {
  compilePlan,
  type CompiledPlan,
  type JournalTransaction,
  type OperationTransition,
  type OperationOwner,
  type Plan,
  type StepPhase,
  type StepRecord,
} from '@windlass/saga';
import type { OperationTable } from '../operation/operation-table.js';
import { isCluster } from '../records/on-kubernetes.js';
import type { LcmStore } from '../ports.js';
import { deploymentTag } from '../records/names.js';
import { DEPLOYMENT_TAG } from '../stack/stack-step.js';
import { auditPlan, compareAudit, lookBefore } from '../internal/audit.saga.js';
import { cleanUpPlan } from '../internal/clean-up.saga.js';
import { dropReferences, forgetSharedImages, unregisterVims } from '../internal/clean-up-inline.js';
import type { CleanUpSubject, InternalKind, InternalRecord, InternalVim } from '../records/internal-operation.js';
import { INTERNAL_VIM, type InternalActions, type InternalSagaContext } from '../internal/internal-saga.js';
import { concludeSnapshot, GAVE_WAY, hasGivenWay, snapshotPlan } from '../internal/snapshot.saga.js';
import { LOOK_IN_VAIN, publishRefresh, refreshPlan } from '../internal/refresh.saga.js';

interface InternalSaga<K extends InternalKind> {
  plan(context: InternalSagaContext<K>): Plan;
  actions: InternalActions<K>;
  /** Whether the sweep tries again what failed; else it is given up. */
  again: boolean;
}

const SAGAS: { readonly [K in InternalKind]: InternalSaga<K> } = {
  CLEAN_UP: { plan: cleanUpPlan, actions: { ...unregisterVims, ...dropReferences, ...forgetSharedImages }, again: true },
  REFRESH: { plan: refreshPlan, actions: publishRefresh, again: true },
  AUDIT: { plan: auditPlan, actions: { ...lookBefore, ...compareAudit }, again: false },
  SNAPSHOT: { plan: snapshotPlan, actions: concludeSnapshot, again: false },
};

const sagaFor = <K extends InternalKind>(kind: K): InternalSaga<K> => SAGAS[kind];

/** Whether the sweep tries again what failed; else it ends it. */
export const isTriedAgain = (kind: InternalKind): boolean => sagaFor(kind).again;

/** How long the sweep waits before the next attempt: half a minute at first, each pause twice the last, at most an hour. */
export const pauseBeforeAgain = (attempts: number): Duration =>
  seconds(Math.min(minutes(60) / 1_000, 30 * 2 ** Math.min(attempts - 1, 10)));

/** The pause of a refresh that waits for an operation of its instance. Nothing has failed, so the pauses don't grow. */
const PAUSE_WHILE_BUSY = seconds(5);

/** What the engine asks of sagas that are no operation occurrence. */
export class InternalOwner implements Pick<OperationOwner, 'plan' | 'source' | 'runInline' | 'moved'> {
  constructor(
    private readonly store: LcmStore,
    private readonly operations: OperationTable,
    private readonly pause: (attempts: number) => Duration = pauseBeforeAgain,
  ) {}

  async plan(tx: JournalTransaction): Promise<CompiledPlan> {
    const record = await this.#record(tx);
    return compilePlan(sagaFor(record.kind).plan({ record }));
  }

  async source(tx: JournalTransaction, source: string): Promise<Json | undefined> {
    if (source === DEPLOYMENT_TAG) return deploymentTag(await this.store.deploymentId(tx.handle));
    const record = await this.#record(tx);
    if (record.kind === 'AUDIT') return this.#auditedVim(tx, record as InternalRecord<'AUDIT'>, source);
    if (source !== INTERNAL_VIM) return undefined;
    const { vim } = (record as InternalRecord<'CLEAN_UP' | 'REFRESH'>).subject;
    return this.#access(tx, record.tenant, vim);
  }

  async #access(tx: JournalTransaction, tenant: string, vim: InternalVim): Promise<Json> {
    if (isCluster(vim.choice)) return toJson(await this.store.clusterAccess(tx.handle, tenant, vim.choice));
    return toJson(await this.store.internalVimAccess(tx.handle, tenant, vim));
  }

  async runInline(tx: JournalTransaction, step: StepRecord, phase: StepPhase, input: JsonObject): Promise<Json | undefined> {
    if (phase === 'undo') return undefined;
    const record = await this.#record(tx);
    const action = sagaFor(record.kind).actions[step.action];
    if (action === undefined) throw new InvariantError(`a saga ${record.kind} has no inline action ${step.action}`);
    const output = await action({ tx, store: this.store, operations: this.operations, record, input });
    await this.store.saveInternal(tx.handle, record);
    return output;
  }

  async moved(tx: JournalTransaction, { statuses }: OperationTransition): Promise<void> {
    if (statuses.length === 0) return;
    const record = await this.#record(tx);
    this.#follow(tx, record);
    if (record.state === 'GIVEN_UP') await this.#forgetGivenUp(tx, record);
    await this.store.saveInternal(tx.handle, record);
  }

  /**
   * Images that were given up stay in their VIM, where an audit finds them as orphans: those that were to be deleted, and those that the instance alone referred to,
   * for which no clean-up begins, since it would be one more that can never be done.
   */
  async #forgetGivenUp({ handle }: JournalTransaction, { subject, vnfInstanceId }: InternalRecord): Promise<void> {
    const { sharedImages = [], sharesImages } = subject as Partial<CleanUpSubject>;
    const left =
      sharesImages === true && vnfInstanceId !== null ? await this.store.dropImageReferences(handle, vnfInstanceId) : [];
    const images = [...sharedImages, ...left];
    if (images.length > 0) await this.store.forgetSharedImages(handle, images);
  }

  #follow(tx: JournalTransaction, record: InternalRecord): void {
    const { status, failure } = tx.operation;
    record.error = failure === null ? null : { status: failure.status, detail: failure.detail, code: failure.code };
    if (record.kind === 'SNAPSHOT' && hasGivenWay(failure?.code))
      record.error = { status: 409, detail: 'an operation of the VNF instance went before it', code: GAVE_WAY };
    record.changedAt = tx.now;
    record.retryAt = null;
    if (status === 'completed') record.state = 'DONE';
    else if (status === 'rolled-back' || status === 'abandoned') record.state = 'GIVEN_UP';
    else if (status === 'suspended') {
      const busy = failure?.code === LOOK_IN_VAIN;
      if (!busy) record.attempts += 1;
      record.retryAt = new Date(tx.now.getTime() + this.#pauseOf(record, busy));
    }
  }

  /** The sweep ends at once what is not tried again. */
  #pauseOf({ kind, attempts }: InternalRecord, busy: boolean): Duration {
    if (!sagaFor(kind).again) return seconds(0);
    return busy ? millis(Math.min(PAUSE_WHILE_BUSY, this.pause(1))) : this.pause(attempts);
  }

  #record(tx: JournalTransaction): Promise<InternalRecord> {
    return this.store.internal(tx.handle, tx.operation.id);
  }

  async #auditedVim(tx: JournalTransaction, record: InternalRecord<'AUDIT'>, source: string): Promise<Json | undefined> {
    const audited = record.subject.vims.find(({ id }) => source === `${INTERNAL_VIM}:${id}`);
    if (audited === undefined) return undefined;
    return this.#access(tx, record.tenant, audited.vim);
  }
}
