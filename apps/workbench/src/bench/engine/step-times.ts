import type { Client } from 'pg';
import type { ServedRequest } from '@windlass/lab';

/** A step that a worker ran, as its row tells. Times are milliseconds since 1970 by PostgreSQL's clock. */
export interface WorkerStep {
  operationId: string;
  vnfInstanceId: string;
  id: string;
  service: string;
  /** When the last of the steps before it was journaled as done: from then on it could run. */
  readyAt: number;
  claimedAt: number;
  endedAt: number;
}

/** The engine's own time for one step, in milliseconds. */
export interface OwnTime {
  step: string;
  /** From the end of the step before to the claim: the result's commit, the wake-up, the claim's way and lock. */
  before: number;
  /** Within the step, outside of its work on the VIM: the claim's answer and the start of the work; its end and the result's way and lock. */
  around: number;
}

/** An operation's times, in milliseconds since 1970. */
export interface OperationTimes {
  operationId: string;
  acceptedAt: number;
  plannedAt: number;
  completedAt: number;
}

/** Reads the steps that workers ran. Steps that the engine runs itself ("inline") take place in the transaction of the step before. */
export async function workerSteps(database: Client, operationIds: readonly string[]): Promise<WorkerStep[]> {
  const { rows } = await database.query<Record<keyof WorkerStep, string>>(
    `SELECT s.operation_id AS "operationId", o.vnf_instance_id AS "vnfInstanceId", s.id, s.service,
            ${milliseconds('(SELECT max(d.ended_at) FROM lcm.step AS d WHERE d.operation_id = s.operation_id AND s.deps ? d.id)')} AS "readyAt",
            ${milliseconds('s.started_at')} AS "claimedAt", ${milliseconds('s.ended_at')} AS "endedAt"
     FROM lcm.step AS s JOIN lcm.vnf_lcm_op_occ AS o ON o.id = s.operation_id
     WHERE s.operation_id = ANY($1::uuid[]) AND s.traits->>'inline' IS NULL AND s.state = 'done' ORDER BY s.operation_id, s.seq`,
    [operationIds],
  );
  return rows.map((row) => ({
    ...row,
    readyAt: Number(row.readyAt),
    claimedAt: Number(row.claimedAt),
    endedAt: Number(row.endedAt),
  }));
}

/** Reads when operations were accepted, planned and completed. */
export async function operationTimes(database: Client, operationIds: readonly string[]): Promise<OperationTimes[]> {
  const { rows } = await database.query<Record<keyof OperationTimes, string>>(
    `SELECT o.id AS "operationId", ${milliseconds('o.created_at')} AS "acceptedAt", ${milliseconds('o.status_since')} AS "completedAt",
            ${milliseconds('(SELECT min(s.started_at) FROM lcm.step AS s WHERE s.operation_id = o.id)')} AS "plannedAt"
     FROM lcm.operation AS o WHERE o.id = ANY($1::uuid[])`,
    [operationIds],
  );
  return rows.map((row) => ({
    operationId: row.operationId,
    acceptedAt: Number(row.acceptedAt),
    plannedAt: Number(row.plannedAt),
    completedAt: Number(row.completedAt),
  }));
}

const milliseconds = (time: string): string => `(extract(epoch FROM ${time}) * 1000)::float8`;

/**
 * The engine's own time of each step. What a step does on the VIM is between the first and the last request that the emulator served for it:
 * those in the step's time whose path names something of that VNF alone, or whose answer told its stack. What the emulator could not tell apart (an
 * image, a network) counts as the engine's, so `around` is never too low.
 * @param namesOf what belongs to one VNF alone, by its instance's id: ids and names as they stand in paths
 */
export function ownTimes(
  steps: readonly WorkerStep[],
  requests: readonly ServedRequest[],
  namesOf: ReadonlyMap<string, readonly string[]>,
): OwnTime[] {
  return steps.map((step) => {
    const names = namesOf.get(step.vnfInstanceId) ?? [];
    const served = requests.filter(
      ({ at, path, made }) =>
        at >= step.claimedAt - 1 && at <= step.endedAt && names.some((name) => path.includes(name) || name === made),
    );
    const whole = step.endedAt - step.claimedAt;
    const first = Math.min(...served.map(({ at }) => at));
    const last = Math.max(...served.map(({ at, took }) => at + took));
    const onVim = served.length === 0 ? 0 : Math.min(whole, last - first);
    return { step: step.id, before: step.readyAt === 0 ? 0 : step.claimedAt - step.readyAt, around: whole - onVim };
  });
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What stands in one instance and in no other: ids of its servers, ports and stack, its own id. */
export function ownNames(instances: readonly { id: string; text: string }[]): Map<string, string[]> {
  const holders = new Map<string, Set<string>>();
  for (const { id, text } of instances) {
    for (const name of [id, ...(text.match(UUID) ?? [])]) holders.set(name, (holders.get(name) ?? new Set()).add(id));
  }
  const names = new Map<string, string[]>();
  for (const [name, [first, ...others]] of holders) {
    if (first !== undefined && others.length === 0) names.set(first, [...(names.get(first) ?? []), name]);
  }
  return names;
}
