import { operationTrace, spansAreKept, stepTrace, tellObserver, wallTime, type EndedWork } from '@windlass/foundation';
import type { CoordinatorOnlooker, LostClaim, OperationRecord } from '@windlass/saga';
import type { PgTelemetry } from './pg-telemetry.js';

/** What is counted of what ends. */
interface EndCounters {
  /** @param kind `INSTANTIATE`, `CLEAN_UP`. @param status the engine’s: `completed`, `rolled-back`, `abandoned` */
  operationEnded(kind: string, status: string): void;
  leaseLost(service: string): void;
}

/**
 * Counts what this replica's transitions end, and tells its observer of spans that no worker can tell: operations, and claims whose worker was lost.
 * A coordinator ends most of them, and lcm-api those that somebody has `fail`.
 */
export class OperationOnlooker implements CoordinatorOnlooker {
  constructor(
    private readonly telemetry: Pick<PgTelemetry, 'accepted'>,
    private readonly log: { warn(message: string, fields: Readonly<Record<string, unknown>>): void },
    private readonly counters: EndCounters | undefined,
  ) {}

  ended(operation: OperationRecord): void {
    this.counters?.operationEnded(operation.kind, operation.status);
    if (!spansAreKept()) return;
    this.#tellOf(operation).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      this.log.warn('the trace of an operation lacks its span', { operationId: operation.id, error: reason });
    });
  }

  /** Tells the span of a claim whose worker is dead or out of reach. A worker that comes back does not tell it again. */
  lost({ operationId, id: stepId, epoch, ...claim }: LostClaim): void {
    this.counters?.leaseLost(claim.service);
    const now = wallTime();
    tellObserver({
      kind: 'step',
      name: claim.action,
      span: stepTrace({ operationId, stepId, epoch }),
      startedAt: claim.startedAt?.getTime() ?? now,
      endedAt: now,
      outcome: 'lost',
      failed: true,
      attributes: {
        'windlass.operation.id': operationId,
        'windlass.step.id': stepId,
        'windlass.step.epoch': epoch,
        'windlass.step.attempt': claim.attempt,
        'windlass.step.phase': claim.phase,
        'windlass.action.version': claim.version,
        ...(claim.owner === null ? {} : { 'windlass.worker': claim.owner }),
      },
    });
  }

  async #tellOf({ id, kind, status, statusSince }: OperationRecord): Promise<void> {
    const accepted = await this.telemetry.accepted(id);
    if (accepted === undefined) return;
    const { createdAt, vnfInstanceId, state } = accepted;
    const work: EndedWork = {
      kind: 'operation',
      name: kind,
      span: operationTrace(id, vnfInstanceId === null),
      startedAt: createdAt.getTime(),
      endedAt: statusSince.getTime(),
      outcome: status,
      failed: status !== 'completed',
      attributes: {
        'windlass.operation.id': id,
        'windlass.operation.status': state ?? status,
        ...(vnfInstanceId === null ? {} : { 'windlass.vnf_instance.id': vnfInstanceId }),
      },
    };
    tellObserver(work);
  }
}
