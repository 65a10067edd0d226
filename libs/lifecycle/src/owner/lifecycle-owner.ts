import {
  InvariantError,
  maskSecrets,
  RequestError,
  TerminalError,
  type Duration,
  type Json,
  type JsonObject,
} from '@windlass/foundation';
import {
  compilePlan,
  remedyThrough,
  type CompiledPlan,
  type ErrorReport,
  type JournalTransaction,
  type OperationTransition,
  type OperationOwner,
  type PlanBounds,
  type StepPhase,
  type StepRecord,
} from '@windlass/saga';
import { InternalOwner } from './internal-owner.js';
import { asksDriver, isInternalKind } from '../records/internal-operation.js';
import { snapshotOccurrence } from '../internal/snapshot.saga.js';
import { grantRequest } from '../shared-steps/grant/grant-request.js';
import { isCluster } from '../records/on-kubernetes.js';
import { carriedImages } from '../stack/carried-images.js';
import { projectReached } from '../records/shared-image.js';
import type { OpOccRecord, VimChoice, VnfInstanceRecord } from '../records/records.js';
import { transition } from './transition.js';
import { definedFor } from '../operation/operation-definition.js';
import type { OperationTable } from '../operation/operation-table.js';
import type { LcmStore } from '../ports.js';
import { contributionOf, notesOf } from '../operation/contribution.js';
import { contributorOf, driverBounds, mayRead } from '../operation/driver-bounds.js';
import { quotableSecrets, secretParamsOf } from '../operation/hidden-params.js';
import { withLateStatus } from './late-status.js';
import { readSource } from './sources.js';
import type { SagaContext } from '../operation/operation-saga.js';

/** What the engine asks of the VNF lifecycle: the plan, values behind references, inline steps, SOL003's states. */
export class LifecycleOwner implements OperationOwner {
  /** What the sources of one claim are read from, read once a transaction; an inline step may change it. */
  readonly #read = new WeakMap<JournalTransaction, Promise<Subject>>();

  readonly #internal: InternalOwner;
  readonly #operations: OperationTable;
  readonly #nfvo: GrantingNfvo | undefined;
  readonly #sharesImages: boolean;

  /**
   * @param options.pause before the sweep tries a failed clean-up again, by the attempts so far
   * @param options.operations those that there are
   * @param options.sharesImages whether instances that are made from now on share the images of their packages; false by default
   * @param options.nfvo whom the grants of operations that begin from now on are asked of; without it they are local
   */
  constructor(
    private readonly store: LcmStore,
    {
      pause,
      operations,
      nfvo,
      sharesImages = false,
    }: {
      pause?: (attempts: number) => Duration;
      operations: OperationTable;
      nfvo?: GrantingNfvo | undefined;
      sharesImages?: boolean;
    },
  ) {
    this.#nfvo = nfvo;
    this.#sharesImages = sharesImages;
    this.#operations = operations;
    this.#internal = new InternalOwner(store, operations, pause);
  }

  async plan(tx: JournalTransaction): Promise<CompiledPlan> {
    if (isInternalKind(tx.operation.kind)) return this.#internal.plan(tx);
    const opOcc = await this.store.opOcc(tx.handle, tx.operation.id);
    const instance = await this.store.instance(tx.handle, opOcc.vnfInstanceId);
    const vim = instance.instantiated?.vim ?? (await this.#choice(tx, opOcc));
    if (vim !== undefined) opOcc.draft.vim = vim;
    if (instance.leftovers !== null) opOcc.draft.leftoversVim = instance.leftovers.vim;
    await this.store.saveOpOcc(tx.handle, opOcc);
    const context = await this.#context(tx, opOcc, instance);
    const grantRequest = await this.#grantRequest(tx, context);
    const definition = definedFor(this.#operations.of(opOcc.operation), opOcc.draft.vim?.kind);
    const granted = grantRequest === undefined ? {} : { grantRequest };
    return compilePlan(definition.plan({ ...context, ...granted, ...(await this.#sharing(tx, { ...context, ...granted })) }));
  }

  /** Where an NFVO may name a VIM other than the request's, uploads to all clouds share one place. */
  async #sharing(tx: JournalTransaction, context: SagaContext): Promise<Pick<SagaContext, 'sharing'>> {
    const { opOcc, instance, grantRequest } = context;
    const { vim } = opOcc.draft;
    if (!this.#sharesImages || opOcc.operation !== 'INSTANTIATE' || vim === undefined || isCluster(vim)) return {};
    if (carriedImages(context) === undefined) return {};
    if (grantRequest !== undefined) return { sharing: { project: '' } };
    try {
      const access = await this.store.vimAccess(tx.handle, opOcc.tenant, vim, instance, opOcc.request);
      return { sharing: { project: projectReached(access) } };
    } catch (error) {
      // The first step on the VIM says what is wrong with it.
      if (error instanceof RequestError) return {};
      throw error;
    }
  }

  /** The NFVO's grant request, where there is an NFVO and the operation needs a grant. It is part of the plan, so that it never changes. */
  async #grantRequest(tx: JournalTransaction, context: SagaContext): Promise<string | undefined> {
    const { grant } = definedFor(this.#operations.of(context.opOcc.operation), context.opOcc.draft.vim?.kind);
    if (this.#nfvo === undefined || grant === null) return undefined;
    const secrets = await secretParamsOf(this.store, tx.handle, context.opOcc, context.instance, this.#operations);
    const request = grantRequest({ subject: context, resources: grant(context), publicUrl: this.#nfvo.publicUrl, secrets });
    return JSON.stringify(request);
  }

  /** An operation that works on no VIM may be accepted before any VIM is registered. */
  async #choice(tx: JournalTransaction, opOcc: OpOccRecord): Promise<VimChoice | undefined> {
    if (!this.#operations.of(opOcc.operation).usesVim) return undefined;
    return this.store.chooseVim(tx.handle, opOcc.tenant, opOcc.request);
  }

  async source(tx: JournalTransaction, source: string): Promise<Json | undefined> {
    if (asksNobody(tx)) return this.#internal.source(tx, source);
    const { opOcc, instance } = await this.#subject(tx);
    const context = () => this.#context(tx, opOcc, instance);
    return readSource(source, { tx, store: this.store, operations: this.#operations, opOcc, instance, context });
  }

  /** Of internal sagas, snapshots alone ask a driver. */
  async boundsOf(tx: JournalTransaction, step: StepRecord): Promise<PlanBounds> {
    if (asksNobody(tx))
      throw new TerminalError(
        'plan.not-expected',
        `step "${step.id}" of ${step.service} returned a plan, and a ${tx.operation.kind} has none`,
      );
    return driverBounds(tx, this.store, step, await this.#subject(tx));
  }

  mayRead(tx: JournalTransaction, step: StepRecord, source: string): boolean {
    return mayRead(tx, step, source);
  }

  async checkContribution(tx: JournalTransaction, step: StepRecord, output: Json | undefined): Promise<void> {
    const { instance } = await this.#subject(tx);
    const whose = await contributorOf(tx, step);
    const contributed = contributionOf(output, instance.id, whose);
    if (contributed !== undefined && isInternalKind(tx.operation.kind))
      throw new TerminalError(
        'contribution.refused',
        `what ${whose} contributes to the instance is refused: a ${tx.operation.kind} publishes nothing`,
      );
    notesOf(output, whose);
  }

  async runInline(tx: JournalTransaction, step: StepRecord, phase: StepPhase, input: JsonObject): Promise<Json | undefined> {
    if (isInternalKind(tx.operation.kind)) return this.#internal.runInline(tx, step, phase, input);
    if (phase === 'undo') return undefined;
    this.#read.delete(tx);
    const opOcc = await this.store.opOcc(tx.handle, tx.operation.id);
    const action = this.#operations.of(opOcc.operation).inline[step.action];
    if (action === undefined) throw new InvariantError(`${opOcc.operation} has no inline action ${step.action}`);
    const instance = await this.store.instance(tx.handle, opOcc.vnfInstanceId);
    return action({ tx, store: this.store, input, context: await this.#context(tx, opOcc, instance) });
  }

  async concealed(tx: JournalTransaction, report: ErrorReport): Promise<ErrorReport> {
    const error = withLateStatus(report);
    if (asksNobody(tx)) return error;
    const subject = await this.#subject(tx).catch((reason: unknown) => {
      // A snapshot holds no lock: its instance may have been terminated and deleted. What the error quotes nobody can tell any more.
      if (isInternalKind(tx.operation.kind) && reason instanceof RequestError && reason.status === 404) return undefined;
      throw reason;
    });
    if (subject === undefined) return { ...error, title: 'Gone', detail: 'the VNF instance was deleted meanwhile' };
    const { opOcc, instance } = subject;
    const params = await secretParamsOf(this.store, tx.handle, opOcc, instance, this.#operations);
    const secrets = quotableSecrets(opOcc, instance, params);
    const title = error.title === undefined ? {} : { title: maskSecrets(error.title, secrets) };
    const masked = (text: string): string => maskSecrets(text, secrets);
    const remedy = error.remedy === undefined ? {} : { remedy: remedyThrough(error.remedy, masked) };
    return { ...error, detail: maskSecrets(error.detail, secrets), ...title, ...remedy };
  }

  async moved(tx: JournalTransaction, move: OperationTransition): Promise<void> {
    await (isInternalKind(tx.operation.kind)
      ? this.#internal.moved(tx, move)
      : transition(this.store, tx, move, this.#operations));
  }

  #subject(tx: JournalTransaction): Promise<Subject> {
    const known = this.#read.get(tx);
    if (known !== undefined) return known;
    const reading = this.#readSubject(tx);
    this.#read.set(tx, reading);
    return reading;
  }

  async #readSubject(tx: JournalTransaction): Promise<Subject> {
    const { id, kind } = tx.operation;
    const opOcc = isInternalKind(kind)
      ? snapshotOccurrence(await this.store.internal(tx.handle, id))
      : await this.store.opOcc(tx.handle, id);
    return { opOcc, instance: await this.store.instance(tx.handle, opOcc.vnfInstanceId) };
  }

  async #context(tx: JournalTransaction, opOcc: OpOccRecord, instance: VnfInstanceRecord): Promise<SagaContext> {
    return {
      opOcc,
      instance,
      package: await this.store.package(tx.handle, instance.vnfPkgId),
      flavourId: this.#operations.flavourIdOf(opOcc, instance),
    };
  }
}

/** Whether the operation is an internal saga that asks no driver, so that no driver's plan is part of it. */
const asksNobody = ({ operation: { kind } }: JournalTransaction): boolean => isInternalKind(kind) && !asksDriver(kind);

/** The NFVO that grants are asked of, as far as plans know it. */
export interface GrantingNfvo {
  /** Where it finds this VNFM: links in what it is asked begin with it; without a slash at its end. */
  publicUrl: string;
}

interface Subject {
  opOcc: OpOccRecord;
  instance: VnfInstanceRecord;
}
