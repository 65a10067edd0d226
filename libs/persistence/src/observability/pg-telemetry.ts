import type { Duration } from '@windlass/foundation';
import type { DataSource } from 'typeorm';
import { rowsOf } from '../database.js';

/** Operation occurrences that are not over, of one state. */
export interface OperationsInState {
  state: OpenState;
  count: number;
  /** Seconds since the oldest of them entered it; 0 where there is none. */
  oldestAge: number;
}

/** States of an occurrence that is not over (SOL003 5.6.2.2). */
export const OPEN_STATES = ['STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK'] as const;

/** One of {@link OPEN_STATES}. */
export type OpenState = (typeof OPEN_STATES)[number];

/** Steps of a service that a worker could claim now: more workers would help. */
export interface ClaimableSteps {
  service: string;
  count: number;
  /** Seconds since the oldest of them could be claimed first. */
  oldestAge: number;
}

/** Messages that no relay has sent yet. */
export interface OutboxBacklog {
  waiting: number;
  /** Seconds since the oldest was written; 0 where there is none. */
  oldestAge: number;
}

/** Figures of all projects for the metrics. Each is read by an index that has nothing of what is over. */
export class PgTelemetry {
  constructor(private readonly database: DataSource) {}

  /** A row for each state, those without an operation included: what is absent can't be alerted on. */
  async operations(): Promise<readonly OperationsInState[]> {
    const rows = await rowsOf<OperationsInState>(
      this.database.manager,
      `SELECT operation_state AS state, count(*)::int AS count,
         greatest(0, extract(epoch FROM clock_timestamp() - min(state_entered_time)))::float8 AS "oldestAge"
       FROM lcm.vnf_lcm_op_occ WHERE operation_state NOT IN ('COMPLETED', 'FAILED', 'ROLLED_BACK') GROUP BY operation_state`,
    );
    return OPEN_STATES.map((state) => rows.find((row) => row.state === state) ?? { state, count: 0, oldestAge: 0 });
  }

  /**
   * Of each service that has any. What pauses before its next attempt, or is kept out by a limit, can't be claimed.
   * @param dispatchWithin how long the engine waits for a claim: a step keeps until when
   */
  claimable(dispatchWithin: Duration): Promise<readonly ClaimableSteps[]> {
    return rowsOf<ClaimableSteps>(
      this.database.manager,
      `SELECT service, count(*)::int AS count,
         greatest(0, coalesce(extract(epoch FROM clock_timestamp() - min(dispatch_by)) + $1::float8, 0))::float8 AS "oldestAge"
       FROM lcm.step WHERE state = 'ready' AND blocked_on IS NULL AND (next_attempt_at IS NULL OR next_attempt_at <= clock_timestamp())
       GROUP BY service`,
      [dispatchWithin / 1_000],
    );
  }

  async outbox(): Promise<OutboxBacklog> {
    const [row] = await rowsOf<OutboxBacklog>(
      this.database.manager,
      `SELECT count(*)::int AS waiting,
         greatest(0, coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0))::float8 AS "oldestAge"
       FROM lcm.outbox WHERE NOT sent`,
    );
    return row ?? { waiting: 0, oldestAge: 0 };
  }

  /** When an operation was accepted, and what it is of; undefined where it is gone. */
  async accepted(operationId: string): Promise<AcceptedOperation | undefined> {
    const [row] = await rowsOf<AcceptedOperation>(
      this.database.manager,
      `SELECT o.created_at AS "createdAt", occ.vnf_instance_id AS "vnfInstanceId", occ.operation_state AS state
       FROM lcm.operation AS o LEFT JOIN lcm.vnf_lcm_op_occ AS occ ON occ.id = o.id WHERE o.id = $1`,
      [operationId],
    );
    return row;
  }
}

/** What the span of an operation says of its beginning. */
export interface AcceptedOperation {
  createdAt: Date;
  /** Null: an internal one, which nobody asked for over REST. */
  vnfInstanceId: string | null;
  state: string | null;
}
