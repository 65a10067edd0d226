import type { KnownDuration, KnownDurations } from '@windlass/lifecycle';
import type { DataSource } from 'typeorm';
import { rowsOf } from '../database.js';

/** How many of the last times that an action was done its duration is the median of. */
const LAST = 20;

/** How long the actions of this deployment took, by its journals: as long as those are kept. */
export class PgStepDurations {
  constructor(private readonly database: DataSource) {}

  /** One statement, whatever is asked for: of each action the index `step_durations` has the last times beside each other. */
  async of(actions: readonly { service: string; action: string }[]): Promise<KnownDurations> {
    const wanted = new Map(actions.map((each) => [keyOf(each), each]));
    const rows = await rowsOf<KnownDuration & { service: string; action: string }>(
      this.database.manager,
      `SELECT wanted.service, wanted.action, count(*)::int AS "basedOn",
         round(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM last.ended_at - last.started_at)::float8)::numeric, 3)::float8 AS seconds
       FROM unnest($1::text[], $2::text[]) AS wanted (service, action) CROSS JOIN LATERAL (
         SELECT started_at, ended_at FROM lcm.step AS s
         WHERE s.service = wanted.service AND s.action = wanted.action AND s.phase = 'do' AND s.state = 'done'
         ORDER BY s.ended_at DESC LIMIT $3) AS last
       WHERE last.started_at IS NOT NULL AND last.ended_at IS NOT NULL
       GROUP BY wanted.service, wanted.action`,
      [[...wanted.values()].map(({ service }) => service), [...wanted.values()].map(({ action }) => action), LAST],
    );
    const known = new Map(rows.map(({ basedOn, seconds, ...action }) => [keyOf(action), { seconds, basedOn }]));
    return { of: (step) => known.get(keyOf(step)) };
  }
}

const keyOf = ({ service, action }: { service: string; action: string }): string => `${service} ${action}`;
