import { InvariantError } from '@windlass/foundation';
import type { LcmEvent } from '@windlass/lifecycle';
import { EntityManager } from 'typeorm';

/** The channel on which a commit wakes the outbox's relay. */
export const OUTBOX_CHANNEL = 'windlass_outbox';

/** The entity manager that a handle is. */
export function managerOf(handle: unknown): EntityManager {
  if (handle instanceof EntityManager) return handle;
  throw new InvariantError('a store of PostgreSQL was given a handle of another kind');
}

/** Writes rows of the outbox, and wakes the relay when the transaction commits. */
export async function emitEvents(manager: EntityManager, events: readonly LcmEvent[]): Promise<void> {
  if (events.length === 0) return;
  await manager.query(
    `WITH written AS (
       INSERT INTO lcm.outbox (subject, message) SELECT e->>'subject', e->'message' FROM jsonb_array_elements($1::jsonb) AS e RETURNING 1
     ) SELECT pg_notify('${OUTBOX_CHANNEL}', '')`,
    [JSON.stringify(events)],
  );
}
