import type { WakeUp, WakeUpSender } from '../ports.js';
import type {
  Claim,
  ClaimReply,
  ClaimRequest,
  CoordinatorClient,
  RenewReply,
  RenewRequest,
  ResultReply,
  ResultRequest,
  WorkerOutcome,
} from './messages.js';

/** Which incarnation of the record this is, and what follows from its having been brought back from a backup (ADR 111). */
export interface Restoration {
  /**
   * What each epoch begins with outside of the record: the incarnation times {@link EPOCHS_OF_AN_INCARNATION}; 0 of a record that was never
   * brought back. Journal and machine count from 0 in each.
   */
  readonly epochBase: number;
  /** Whether nothing of the operation may be claimed yet. */
  holds(operationId: string): boolean | Promise<boolean>;
  /** Whether the step ran when the record was taken, and nobody has said since what became of it. */
  isUnknown(operationId: string, stepId: string): boolean | Promise<boolean>;
  /** Its end is journaled. */
  isKnown(operationId: string, stepId: string): Promise<void>;
}

/** Claims of one step in one incarnation; `lcm.epoch_base()` has the same. */
export const EPOCHS_OF_AN_INCARNATION = 2 ** 22;

/**
 * The coordinator as workers see it, and with them the hosts and VIMs that they speak to: no epoch that was given to a worker is given to
 * another after a restore. A worker of before has a lower one, and is stale.
 */
export class IncarnatedCoordinator implements CoordinatorClient {
  constructor(
    private readonly coordinator: CoordinatorClient,
    private readonly restoration: Restoration,
  ) {}

  async claim(request: ClaimRequest, signal?: AbortSignal): Promise<ClaimReply> {
    if (await this.restoration.holds(request.operationId)) return { granted: false, reason: 'not-ready' };
    const reply = await this.coordinator.claim(this.#inside(request), signal);
    return reply.granted ? { ...reply, claim: await this.#outside(reply.claim) } : reply;
  }

  renew(request: RenewRequest, signal?: AbortSignal): Promise<RenewReply> {
    return this.coordinator.renew(this.#inside(request), signal);
  }

  async result(request: ResultRequest, signal?: AbortSignal): Promise<ResultReply> {
    const { operationId, stepId } = request;
    const reply = await this.coordinator.result(this.#inside(request), signal);
    if (reply.verdict === 'journaled' && tells(request.outcome) && (await this.restoration.isUnknown(operationId, stepId)))
      await this.restoration.isKnown(operationId, stepId);
    return reply.next === undefined ? reply : { ...reply, next: await this.#outside(reply.next) };
  }

  #inside<T extends { epoch: number }>(request: T): T {
    return { ...request, epoch: request.epoch - this.restoration.epochBase };
  }

  async #outside(claim: Claim): Promise<Claim> {
    const { epochBase } = this.restoration;
    const restored = await this.restoration.isUnknown(claim.operationId, claim.stepId);
    return {
      ...claim,
      ...{ epoch: claim.epoch + epochBase, attemptEpoch: claim.attemptEpoch + epochBase },
      ...(restored ? { restored } : {}),
    };
  }
}

/** Whether a step’s outcome says what became of it. Handed back, or tried again by itself, it stays unknown. */
const tells = (outcome: WorkerOutcome): boolean =>
  outcome.kind !== 'released' && !(outcome.kind === 'failed' && outcome.error.kind === 'transient');

/** Sends wake-ups with the epochs that claims are made with. */
export class IncarnatedWakeUps implements WakeUpSender {
  constructor(
    private readonly sender: WakeUpSender,
    private readonly restoration: Pick<Restoration, 'epochBase'>,
  ) {}

  notify(wakeUps: readonly WakeUp[]): Promise<void> {
    const { epochBase } = this.restoration;
    return this.sender.notify(epochBase === 0 ? wakeUps : wakeUps.map((one) => ({ ...one, epoch: one.epoch + epochBase })));
  }
}
