import { Counter, Gauge, type Registry } from 'prom-client';

/** What one replica of a service with a coordinator has seen end: saga-coordinator, and lcm-api, which ends what somebody has `fail`. */
export interface EndCounters {
  /** @param kind `INSTANTIATE`, `CLEAN_UP`. @param status the engine’s: `completed`, `rolled-back`, `abandoned` */
  operationEnded(kind: string, status: string): void;
  leaseLost(service: string): void;
}

/** What one coordinator has done since it started. Each replica counts its own: take the sum. */
export interface CoordinatorCounters extends EndCounters {
  /** The chain over the audit trail is not what it was. */
  trailTroubled(): void;
  /** A round of the purge ended. @param succeeded whether all that was old enough could be removed */
  purged(succeeded: boolean): void;
  rowsPurged(what: string, rows: number): void;
}

export function endCounters(registry: Registry): EndCounters {
  const registers = [registry];
  const ended = new Counter({
    name: 'windlass_operations_ended_total',
    help: 'Operations, internal ones included, that this replica saw end, by how: completed, rolled-back, abandoned (FAILED)',
    labelNames: ['operation', 'status'],
    registers,
  });
  const lost = new Counter({
    name: 'windlass_leases_lost_total',
    help: 'Claims of this service whose lease ran out: their worker died, stood still or could not reach a coordinator',
    labelNames: ['worker_service'],
    registers,
  });
  return {
    operationEnded: (operation, status) => ended.inc({ operation, status }),
    leaseLost: (service) => lost.inc({ worker_service: service }),
  };
}

export function coordinatorCounters(registry: Registry): CoordinatorCounters {
  const registers = [registry];
  const troubles = new Counter({
    name: 'windlass_audit_trail_troubles_total',
    help: 'Times that the chain over the audit trail was found to be another than the one that was made',
    registers,
  });
  const rows = new Counter({
    name: 'windlass_purged_rows_total',
    help: 'Rows removed because they were kept long enough',
    labelNames: ['what'],
    registers,
  });
  const failed = new Counter({
    name: 'windlass_purge_failures_total',
    help: 'Rounds of the purge in which something could not be removed',
    registers,
  });
  const succeeded = new Gauge({
    name: 'windlass_purge_last_success_timestamp_seconds',
    help: 'When a round of the purge last removed all that was old enough, in seconds since 1970; at first when this replica started',
    registers,
  });
  succeeded.set(Date.now() / 1_000);
  return {
    ...endCounters(registry),
    trailTroubled: () => troubles.inc(),
    purged: (well) => (well ? succeeded.set(Date.now() / 1_000) : failed.inc()),
    rowsPurged: (what, removed) => rows.inc({ what }, removed),
  };
}
