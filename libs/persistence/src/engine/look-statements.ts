import { BY_THE_INDEX } from '../by-the-index.js';
import type { Statement } from '../prepared.js';

/**
 * What is due: accepted operations come first, then the wake-ups that were unheard for longest: however many steps wait for a place, none of the others is
 * starved. The pause of an unheard wake-up is that of `defaultPolicy.wakeUpAgainAfter`; one that was sent in the future was sent before the clock was set back.
 * The machine has the last word.
 */
const DUE = `SELECT id, NULL, 'due', NULL::timestamptz, NULL::timestamptz, row_number() OVER (ORDER BY min(rank), min(since) NULLS FIRST) AS place FROM (
    (SELECT id, 0 AS rank, status_since AS since FROM lcm.operation WHERE status = 'accepted' ORDER BY created_at ${BY_THE_INDEX})
    UNION ALL
    SELECT operation_id, 1, rung_at FROM ready WHERE next_attempt_at IS NULL
      AND (rung_at IS NULL OR rung_at <= clock_timestamp() - make_interval(secs => least(30, 2 ^ least(rings, 5)))
        OR rung_at > clock_timestamp() + interval '1 second')
  ) AS due GROUP BY id ORDER BY place LIMIT $1`;

/** One row at least, so that the clock is told also when nothing is awaited. */
export const LOOK = `WITH ready AS (
    SELECT operation_id, id, rung_at, rings, next_attempt_at, dispatch_by FROM lcm.step WHERE state = 'ready' ORDER BY rung_at ${BY_THE_INDEX})
  SELECT clock.now, found.* FROM (SELECT clock_timestamp() AS now) AS clock LEFT JOIN (
    (SELECT operation_id, id, 'lease' AS kind, lease_until AS at, rung_at, 0 AS place FROM lcm.step
      WHERE state = 'running' AND lease_until IS NOT NULL ORDER BY lease_until ${BY_THE_INDEX})
    UNION ALL
    SELECT operation_id, id, 'pause', next_attempt_at, rung_at, 0 FROM ready WHERE next_attempt_at IS NOT NULL
    UNION ALL
    SELECT operation_id, id, 'dispatch', dispatch_by, rung_at, 0 FROM ready WHERE dispatch_by IS NOT NULL
    UNION ALL
    (${DUE})
  ) AS found ON true`;

export const LIMIT_USE = `SELECT key, count(*) FILTER (WHERE state = 'running' AND waiting_epoch IS DISTINCT FROM epoch)::int AS running,
    count(*) FILTER (WHERE state = 'ready' AND blocked_on = key)::int AS waiting
  FROM lcm.step, jsonb_array_elements_text(limit_keys) AS key WHERE state = 'running' OR state = 'ready' GROUP BY key ORDER BY key COLLATE "C"`;

/** Whether there is a place is asked only where somebody waits. Only what is committed counts: whoever commits later looks again. */
export const WAITING: Statement = {
  name: 'windlass who waits for a place',
  text: `SELECT vacancy.key, step.operation_id, step.id, step.epoch, step.service, CASE WHEN vacancy.most IS NULL THEN true ELSE
      (SELECT count(*) FROM lcm.step AS running WHERE running.state = 'running' AND running.waiting_epoch IS DISTINCT FROM running.epoch
        AND running.limit_keys ? vacancy.key) < vacancy.most END AS has_place
    FROM unnest($1::text[], $2::int[], $3::int[]) AS vacancy (key, most, called) CROSS JOIN LATERAL (
      SELECT operation_id, id, epoch, service FROM (SELECT * FROM lcm.step WHERE state = 'ready' ORDER BY rung_at ${BY_THE_INDEX}) AS ready
      WHERE blocked_on = vacancy.key ORDER BY rung_at LIMIT called) AS step`,
};
