import { seconds, type Duration } from '@windlass/foundation';
import { JOURNAL_VERSION, type HeldClaim } from '@windlass/saga';
import type { DataSource } from 'typeorm';
import { Gathering } from '../gathering.js';
import { runPreparedAlone, type Statement } from '../prepared.js';
import { Lanes } from './lanes.js';

/**
 * Extends the leases of claims that hold, in operations that nobody else has locked. What `SagaMachine.renew` would answer otherwise is left to it: an operation
 * that is being stopped by force, a claim that is another's. Whoever changes a step has its operation's row locked, so a step that was changed after this
 * statement began is looked at again as it is, when it is written.
 */
const EXTEND: Statement = {
  name: 'windlass leases extend',
  text: `WITH claim AS (SELECT * FROM unnest($1::uuid[], $2::text[], $3::int[], $4::text[]) AS c (operation_id, step_id, epoch, progress)),
    held AS MATERIALIZED (SELECT id FROM lcm.operation WHERE id = ANY($1::uuid[]) AND journal_version <= $6
      AND NOT (status = 'stopping' AND cancel IS NOT DISTINCT FROM 'FORCEFUL') ORDER BY id FOR UPDATE SKIP LOCKED)
    UPDATE lcm.step AS s SET lease_until = clock_timestamp() + make_interval(secs => $5), progress = coalesce(claim.progress, s.progress)
    FROM claim JOIN held ON held.id = claim.operation_id
    WHERE s.operation_id = claim.operation_id AND s.id = claim.step_id AND s.state = 'running' AND s.epoch = claim.epoch
    RETURNING s.operation_id, s.id, s.epoch`,
};

/** Moments of asking whose claims one statement extends at most. */
const MOST_TOGETHER = 32;

/** What takes longer waits for somebody, and nobody waits for it. */
const SLOW = seconds(0.25);

interface Wanted {
  claims: readonly HeldClaim[];
  lease: Duration;
  extended: (isExtended: boolean[]) => void;
}

/** Leases that are extended at the same time, of whatever operations, by one statement: those of one message, and those that come while another is under way. */
export class LeaseExtensions {
  readonly #lanes = new Lanes<Wanted>(
    { lanes: 1, most: MOST_TOGETHER, mayJoin: ({ lease }, others) => others.every((other) => other.lease === lease), slow: SLOW },
    async (together) => {
      const wanted = together.map(({ request }) => request);
      try {
        const extended = await this.#extend(wanted);
        wanted.forEach((each, at) => each.extended(extended[at] ?? []));
        for (const { resolve } of together) resolve();
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    },
  );
  readonly #gatherings = new Map<Duration, Gathering<HeldClaim, boolean>>();

  constructor(private readonly database: DataSource) {}

  /** @returns whether it was extended */
  ask(claim: HeldClaim, lease: Duration): Promise<boolean> {
    const found = this.#gatherings.get(lease);
    const gathering = found ?? new Gathering<HeldClaim, boolean>((claims) => this.#all(claims, lease), true);
    this.#gatherings.set(lease, gathering);
    return gathering.ask(claim);
  }

  async #all(claims: readonly HeldClaim[], lease: Duration): Promise<boolean[]> {
    let answer: boolean[] = [];
    await this.#lanes.ask({ claims, lease, extended: (isExtended) => (answer = isExtended) });
    return answer;
  }

  async #extend(wanted: readonly Wanted[]): Promise<boolean[][]> {
    const claims = wanted.flatMap((each) => each.claims);
    const rows = await runPreparedAlone<{ operation_id: string; id: string; epoch: number }>(this.database, EXTEND, [
      claims.map(({ operationId }) => operationId),
      claims.map(({ stepId }) => stepId),
      claims.map(({ epoch }) => epoch),
      claims.map(({ progress }) => progress ?? null),
      (wanted[0]?.lease ?? 0) / 1_000,
      JOURNAL_VERSION,
    ]);
    const extended = new Set(
      rows.map(({ operation_id: operationId, id: stepId, epoch }) => nameOf({ operationId, stepId, epoch })),
    );
    return wanted.map((each) => each.claims.map((claim) => extended.has(nameOf(claim))));
  }
}

const nameOf = ({ operationId, stepId, epoch }: HeldClaim): string => `${operationId} ${epoch} ${stepId}`;
