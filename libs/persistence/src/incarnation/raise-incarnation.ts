import { InvariantError } from '@windlass/foundation';
import type { Client } from 'pg';

/** Why a record has another incarnation: it was put into an empty database, or PostgreSQL was brought back by its own means. */
export type IncarnationCause = 'restore' | 'point-in-time';

/** A new incarnation, and what it found. */
export interface RaisedIncarnation {
  number: number;
  /** Steps whose attempt was under way when the record was taken: what they did since is not known. */
  unknownSteps: number;
  /** Keys of workers, and tokens, that were dropped: what was revoked after the record was taken must not hold again. */
  droppedKeys: number;
  droppedTokens: number;
}

/** Of both: it is the number of seconds since then, so that a file restored twice gives two incarnations. Epochs stay exact in JavaScript until 2094. */
const NUMBERED_FROM = '2026-01-01T00:00:00Z';

/**
 * Begins the next incarnation, in the transaction of whoever calls it. What ran then is to be claimed anew, and its claim says so; nothing is
 * claimed but audits until the gate is open (ADR 111).
 * @param recordOf up to when the record goes, as far as it is known
 */
export async function raiseIncarnation(
  client: Client,
  { cause, recordOf, by }: { cause: IncarnationCause; recordOf: Date | null; by: string },
): Promise<RaisedIncarnation> {
  const { rows } = await client.query<{ number: string }>(
    `INSERT INTO lcm.incarnation (number, cause, record_of)
     SELECT greatest(coalesce(max(number), 0) + 1, floor(extract(epoch FROM clock_timestamp() - $3::timestamptz))::bigint), $1, $2 FROM lcm.incarnation
     RETURNING number::text`,
    [cause, recordOf, NUMBERED_FROM],
  );
  const number = Number(rows[0]?.number);
  if (!Number.isSafeInteger(number)) throw new InvariantError('PostgreSQL returned no incarnation');
  const unknownSteps = await markUnknownSteps(client);
  const [keys, tokens] = [
    await client.query('DELETE FROM lcm.worker_key WHERE revoked_at IS NULL'),
    await client.query('DELETE FROM lcm.enrolment_token WHERE revoked_at IS NULL'),
  ];
  const detail = { incarnation: number, cause, recordOf: recordOf?.toISOString() ?? null, unknownSteps };
  await client.query(
    `INSERT INTO lcm.audit_trail (kind, actor, method, resource, status, detail) VALUES ('request', $1, 'RESTORE', $2, 200, $3)`,
    [by, `incarnation ${number}`, JSON.stringify(detail)],
  );
  return { number, unknownSteps, droppedKeys: keys.rowCount ?? 0, droppedTokens: tokens.rowCount ?? 0 };
}

async function markUnknownSteps(client: Client): Promise<number> {
  await client.query('DELETE FROM lcm.restored_audit');
  // An audit looks, and may be made anew; an undo is made of the input alone, whatever part of it was done. A step that waits for another worker in the middle of
  // its attempt (`resumed`) ran as well: its worker was lost, or has handed it over.
  const marked = await client.query(
    `INSERT INTO lcm.restored_step (operation_id, step_id) SELECT s.operation_id, s.id FROM lcm.step AS s, lcm.operation AS o
     WHERE o.id = s.operation_id AND (s.state = 'running' OR (s.state = 'ready' AND s.resumed)) AND s.phase = 'do' AND o.kind <> 'AUDIT'
     ON CONFLICT DO NOTHING`,
  );
  // Nobody holds them any more. Those of an operation that is being stopped are lost as any lease that ended, since nothing of it begins again.
  await client.query(
    `UPDATE lcm.step AS s SET lease_until = clock_timestamp() FROM lcm.operation AS o
     WHERE o.id = s.operation_id AND s.state = 'running' AND o.status = 'stopping'`,
  );
  await client.query(
    `UPDATE lcm.step AS s SET state = 'ready', resumed = true, owner = NULL, lease_until = NULL, dispatch_by = NULL, rung_at = NULL, rings = 0
     FROM lcm.operation AS o WHERE o.id = s.operation_id AND s.state = 'running' AND o.status <> 'stopping'`,
  );
  await client.query(`UPDATE lcm.step SET dispatch_by = NULL, rung_at = NULL, rings = 0 WHERE state = 'ready'`);
  return marked.rowCount ?? 0;
}
