import pg from 'pg';
import { millis, minutes, seconds, waitUntil } from '@windlass/foundation';
import type { SupervisedProcess } from '@windlass/windlass';
import type { Deployed } from '../../support/deployed.js';
import { firstJob } from './host-jobs.js';
import { AFTER_KIND, describePoint, type Point } from './points.js';

/** The first half of this file's keys of advisory locks; the engine's keys have one part. */
const LOCKS = 4711;
const LOOK_EVERY = millis(5);

/** The claim of a step, but not the end of a lease. */
const CLAIMED = `(OLD.state <> 'running' AND NEW.state = 'running')`;
const HAS_RESULT = `(OLD.result_epoch IS DISTINCT FROM NEW.result_epoch AND NEW.state IN ('done', 'expanded'))`;

/**
 * Triggers that hold up a commit at which a step of a chosen kind is claimed or gets its result, by a lock that the test holds: in the middle of the
 * transaction, which a dying coordinator takes back, or at its very end, where the commit holds although the coordinator is dead.
 */
const TRIGGERS = `
  CREATE SCHEMA crash_point;
  CREATE TABLE crash_point.armed (key int PRIMARY KEY, step text, transition text, moment text);
  CREATE FUNCTION crash_point.wait() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE lock_key int;
    BEGIN
      SELECT key INTO lock_key FROM crash_point.armed
        WHERE NEW.id ~ ('^' || step || '${AFTER_KIND}') AND moment = TG_ARGV[0]
          AND transition = CASE NEW.state WHEN 'running' THEN 'claim' ELSE 'result' END
        ORDER BY key LIMIT 1;
      IF lock_key IS NOT NULL THEN PERFORM pg_advisory_xact_lock_shared(${LOCKS}, lock_key); END IF;
      RETURN NULL;
    END $$;
  CREATE TRIGGER crash_point_before AFTER UPDATE ON lcm.step FOR EACH ROW
    WHEN (${CLAIMED} OR ${HAS_RESULT}) EXECUTE FUNCTION crash_point.wait('before');
  CREATE CONSTRAINT TRIGGER crash_point_after AFTER UPDATE ON lcm.step DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (${CLAIMED} OR ${HAS_RESULT}) EXECUTE FUNCTION crash_point.wait('after');`;

/** Kills processes of a deployment at commits of its journal. */
export class CrashInjector {
  #keys = 0;
  readonly #began = performance.now();
  /** A line for each strike: what, and when. */
  readonly told: string[] = [];
  /** The armed points, by the keys of their locks. */
  readonly #armed = new Map<number, Point>();

  private constructor(
    private readonly deployed: Deployed,
    /** The session that holds the locks. */
    private readonly database: pg.Client,
  ) {}

  static async on(deployed: Deployed): Promise<CrashInjector> {
    const database = new pg.Client({ connectionString: deployed.postgres.url });
    await database.connect();
    await database.query(TRIGGERS);
    return new CrashInjector(deployed, database);
  }

  async close(): Promise<void> {
    await this.database.end();
  }

  /** Strikes at the points during the work. Returns the work's result. @throws Error when a point was not reached */
  async during<T>(points: readonly Point[], work: () => Promise<T>): Promise<T> {
    for (const point of points) await this.#arm(point);
    const over = new AbortController();
    const [result] = await Promise.all([work().finally(() => over.abort()), this.#strike(over.signal)]);
    const left = [...this.#armed.values()].map(describePoint);
    for (const key of this.#armed.keys()) await this.#release(key);
    this.#armed.clear();
    if (left.length > 0) throw new Error(`never reached: ${left.join('; ')}`);
    return result;
  }

  async #strike(over: AbortSignal): Promise<void> {
    while (this.#armed.size > 0 && !over.aborted) for (const key of await this.#waiting(over)) await this.#kill(key);
  }

  async #arm(point: Point): Promise<void> {
    const key = ++this.#keys;
    const { step, death } = point;
    await this.database.query('SELECT pg_advisory_lock($1, $2)', [LOCKS, key]);
    await this.database.query('INSERT INTO crash_point.armed VALUES ($1, $2, $3, $4)', [
      key,
      step.kind,
      death.transition,
      death.commit,
    ]);
    this.#armed.set(key, point);
  }

  /** The keys of the points at which a commit waits now. */
  async #waiting(over: AbortSignal): Promise<number[]> {
    return waitUntil(
      async () => {
        const { rows } = await this.database.query<{ key: number }>(
          `SELECT DISTINCT objid::int AS key FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND NOT granted`,
          [LOCKS],
        );
        return rows.length > 0 || over.aborted ? rows.map(({ key }) => key) : undefined;
      },
      { for: 'a commit at a point, or the end', within: minutes(10), every: LOOK_EVERY },
    );
  }

  async #kill(key: number): Promise<void> {
    const point = this.#armed.get(key);
    if (point === undefined) throw new Error(`a commit waits for ${key}, which is no point`);
    const { step, death } = point;
    const victims = death.victims.map((victim) => this.#process(victim === 'worker' ? step.service : 'saga-coordinator'));
    if (death.job === undefined) await Promise.all(victims.map(killed));
    this.#armed.delete(key);
    this.told.push(`${((performance.now() - this.#began) / 1000).toFixed(1)} s: ${describePoint(point)}`);
    await this.#release(key);
    const struck = await this.#seen(point);
    if (death.job === undefined || struck === undefined) return;
    const hosts = hostsOf(struck.limit_keys);
    await firstJob(this.deployed.lab.fleet, struck.operation_id, {
      id: struck.id,
      hosts: hosts.length > 0 ? hosts : await this.#hostsOf(struck.operation_id),
    });
    await Promise.all(victims.map(killed));
  }

  /** The hosts of a step: for a step that is bound to none, all hosts of the operation. */
  async #hostsOf(operationId: string): Promise<string[]> {
    const { rows } = await this.database.query<{ keys: string[] }>(
      'SELECT limit_keys AS keys FROM lcm.step WHERE operation_id = $1',
      [operationId],
    );
    return [...new Set(rows.flatMap(({ keys }) => hostsOf(keys)))];
  }

  /** Releases a point: the waiting commit goes on, and no other waits there again. */
  async #release(key: number): Promise<void> {
    await this.database.query('DELETE FROM crash_point.armed WHERE key = $1', [key]);
    await this.database.query('SELECT pg_advisory_unlock($1, $2)', [LOCKS, key]);
    await waitUntil(
      async () => {
        const { rows } = await this.database.query(
          `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objid = $2`,
          [LOCKS, key],
        );
        return rows.length === 0 ? true : undefined;
      },
      { for: 'the transaction at a point to end', within: seconds(20), every: LOOK_EVERY },
    );
  }

  /** Checks a strike: the journal has the commit's write (`after`), or lacks it (`before`). */
  async #seen(point: Point): Promise<CrashedRow | undefined> {
    const { step, death } = point;
    const written = death.transition === 'claim' ? 'epoch > 0' : 'result_epoch IS NOT NULL';
    const { rows } = await this.database.query<CrashedRow>(
      `SELECT operation_id, id, limit_keys FROM lcm.step WHERE id ~ ('^' || $1 || '${AFTER_KIND}') AND ${written}
         AND operation_id = (SELECT id FROM lcm.operation ORDER BY created_at DESC LIMIT 1)`,
      [step.kind],
    );
    if ((rows.length === 0) !== (death.commit === 'before'))
      throw new Error(`${describePoint(point)}: afterwards the journal ${rows.length === 0 ? 'does not have it' : 'has it'}`);
    return rows[0];
  }

  #process(service: string): SupervisedProcess {
    const found = this.deployed.deployment.processes.find(({ name }) => name === service);
    if (found === undefined) throw new Error(`the deployment has no ${service}`);
    return found;
  }
}

interface CrashedRow {
  operation_id: string;
  id: string;
  limit_keys: string[];
}

const hostsOf = (keys: readonly string[]): string[] =>
  keys.filter((key) => key.startsWith('host:')).map((key) => key.slice(key.indexOf('/') + 1));

/** Kills a process, which may be gone already, and waits until it is gone. */
async function killed({ pid, name }: SupervisedProcess): Promise<void> {
  if (pid === undefined) throw new Error(`${name} does not run`);
  await waitUntil(() => Promise.resolve(signalled(pid) ? undefined : true), {
    for: `${name} to be gone`,
    within: seconds(20),
    every: LOOK_EVERY,
  });
}

/** Sends SIGKILL; whether the process existed. */
function signalled(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
