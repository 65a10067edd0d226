import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { millis, minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import type { MessagingLog } from '@windlass/messaging';
import { checkBackup, restoreBackup, takeBackup, type RestoredBackup } from '@windlass/persistence';
import pg from 'pg';
import { createVnf, onboard, quiet, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

/** A claim as a worker began it. */
export interface BegunStep {
  operationId: string;
  stepId: string;
  epoch: number;
  action: string;
}

/** What a drill came to. */
export interface Drilled {
  before: System;
  system: System;
  restored: RestoredBackup;
  /** Operations that had not ended in the backup. */
  inFlight: number;
  /** Claims before the restore and after it, in their order. */
  begun: { before: BegunStep[]; after: BegunStep[] };
  /** Operations as they first came to rest after the restore, by their ids. */
  atRest: Map<string, JsonObject>;
  /** Instances that were made after the backup was taken. */
  lost: string[];
  /** How many claims after the restore were begun when the gate was seen open first. */
  claimsAtRelease: BegunStep[];
  close(): Promise<void>;
}

const noting = (begun: BegunStep[]): MessagingLog => ({
  ...quiet,
  info: (message, fields) => {
    const { operationId, stepId, epoch, action } = fields ?? {};
    if (message === 'a step begins')
      begun.push({ operationId: String(operationId), stepId: String(stepId), epoch: Number(epoch), action: String(action) });
    quiet.info(message, fields);
  },
});

/** Addresses for a server of each operation: a /24 has 253. */
const NETWORK = { cidr: '10.20.0.0/22', gateway: '10.20.0.1', firstAddress: '10.20.0.2', lastAddress: '10.20.3.254' };

const RESTING = ['COMPLETED', 'FAILED_TEMP', 'FAILED', 'ROLLED_BACK'];

/**
 * So many instantiations are asked for; while they are in flight the record is saved, goes on for a while, and is lost; the backup is restored
 * into another database, and the same VIM is there.
 */
export async function drill(operations: number): Promise<Drilled> {
  const begun = { before: [] as BegunStep[], after: [] as BegunStep[] };
  const before = await startSystem({ log: noting(begun.before), emulator: { network: NETWORK } });
  await registerVim(before);
  const { vnfdId } = await onboard(before.api, 'simple-vm');
  const request = await sampleRequest('instantiate-simple-vm.json', 'net0');
  const instantiate = async (): Promise<string> => {
    const path = await patiently(() => createVnf(before.api, vnfdId));
    await patiently(async () => {
      const { status } = await before.api.post(`${path}/instantiate`, request);
      if (status !== 202) throw new Error(`not accepted: ${status}`);
    });
    return path;
  };
  // All together: what is asked for a few at a time has ended before the last is accepted.
  await Promise.all(Array.from({ length: operations }, instantiate));
  const backup = await saved(before);
  const lost = [await instantiate(), await instantiate()];
  await goOn(before, lost);
  await before.leave();
  return { before, begun, lost, ...(await broughtBack(before, backup, begun.after)) };
}

/** A busy machine's PostgreSQL may be slow to take connections: the API says 503 then, and is asked again. */
export async function patiently<T>(ask: () => Promise<T>, tries = 5): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (tries === 0 || !String(error).includes('503')) throw error;
    await pause(seconds(1));
    return patiently(ask, tries - 1);
  }
}

/** A backup, and the key that opens it. */
export interface Saved {
  file: Buffer;
  key: Buffer;
}

/** Takes a backup at once, while workers are in the middle of steps. */
export async function saved(system: System): Promise<Saved> {
  const key = randomBytes(32);
  await waitUntil(
    async () => ((await count(system, `SELECT count(*)::int AS n FROM lcm.step WHERE state = 'running'`)) > 0 ? true : undefined),
    {
      for: 'a step to run',
      within: minutes(2),
      every: millis(2),
    },
  );
  const pieces: Buffer[] = [];
  for await (const piece of takeBackup({ url: system.servers.postgres.url, key, release: '0.1.0' }, () => undefined))
    pieces.push(piece);
  return { file: Buffer.concat(pieces), key };
}

/** Until what was asked for after the backup was taken has made its first stack, and is done: by then so are most of the others. */
const goOn = (system: System, lost: readonly string[]): Promise<true> =>
  waitUntil(
    async (seen) => {
      const rows = await system.database.query<{ state: string; n: number; lost: number }[]>(
        `SELECT operation_state AS state, count(*)::int AS n, count(*) FILTER (WHERE vnf_instance_id::text = ANY ($1))::int AS lost
         FROM lcm.vnf_lcm_op_occ GROUP BY 1`,
        [lost.map((path) => path.split('/').at(-1))],
      );
      seen(JSON.stringify(rows));
      if (rows.some(({ state }) => state === 'FAILED_TEMP'))
        throw new Error(`operations failed before the record was lost: ${JSON.stringify(rows)}`);
      return rows.some(({ state, lost: done }) => state === 'COMPLETED' && done > 0) ? true : undefined;
    },
    { for: 'an operation that the backup does not have to be completed', within: minutes(15), every: millis(50) },
  );

const count = async ({ database }: System, sql: string): Promise<number> =>
  (await database.query<{ n: number }[]>(sql))[0]?.n ?? 0;

/** Restores a backup into a database of its own, on which nothing runs yet. */
export async function restoredInto({ file, key }: Saved): Promise<{ target: TestDatabase; restored: RestoredBackup }> {
  const target = await testPostgres();
  const whole = async function* (): AsyncGenerator<Buffer> {
    yield await Promise.resolve(file);
  };
  const restored = await restoreBackup(await checkBackup(whole, key), { url: target.url, file: whole, key, by: 'drill' });
  return { target, restored };
}

async function broughtBack(before: System, backup: Saved, after: BegunStep[]) {
  const { target, restored } = await restoredInto(backup);
  const inFlight = await inFlightIn(target.url);
  const system = await startSystem({ log: noting(after), after: { left: before, databaseUrl: target.url } });
  const claimsAtRelease = await waitUntil(
    async (seen) => {
      const claims = [...after];
      const waits = await count(system, 'SELECT count(*)::int AS n FROM lcm.incarnation WHERE released_at IS NULL');
      seen(JSON.stringify(await system.database.query('SELECT * FROM lcm.internal_operation')).slice(0, 2_000));
      return waits === 0 ? claims : undefined;
    },
    { for: 'the audits to release the record', within: minutes(5), every: millis(10) },
  );
  const atRest = await resting(system);
  const close = async (): Promise<void> => {
    await system.leave();
    await before.emulator.stop();
    await before.servers.close();
    await target.close();
  };
  return { system, restored, inFlight, claimsAtRelease, atRest, close };
}

async function inFlightIn(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const sql = `SELECT count(*)::int AS n FROM lcm.vnf_lcm_op_occ WHERE operation_state IN ('STARTING', 'PROCESSING')`;
  const { rows } = await client.query<{ n: number }>(sql);
  await client.end();
  return rows[0]?.n ?? 0;
}

/** All operations, when none is under way. */
export async function resting({ database, api }: System): Promise<Map<string, JsonObject>> {
  await waitUntil(
    async (seen) => {
      const rows = await database.query<{ state: string; n: number }[]>(
        'SELECT operation_state AS state, count(*)::int AS n FROM lcm.vnf_lcm_op_occ GROUP BY 1',
      );
      seen(JSON.stringify(rows));
      return rows.every(({ state }) => RESTING.includes(state)) ? true : undefined;
    },
    { for: 'all operations to come to rest', within: minutes(15), every: seconds(0.2) },
  );
  const rows = await database.query<{ id: string }[]>('SELECT id FROM lcm.vnf_lcm_op_occ');
  const found = new Map<string, JsonObject>();
  for (const { id } of rows) found.set(id, (await api.get<JsonObject>(`/vnflcm/v1/vnf_lcm_op_occs/${id}`)).data);
  return found;
}

/** What an audit of the project's VIMs finds now. */
export async function audited({ api }: System): Promise<JsonObject> {
  const accepted = await api.post('/windlass/v1/audits', {});
  const path = new URL(String(accepted.headers.location)).pathname;
  return waitUntil(
    async (seen) => {
      const { data } = await api.get<{ state: string; report: JsonObject }>(path);
      seen(JSON.stringify(data).slice(0, 2_000));
      return data.state === 'PENDING' ? undefined : data.report;
    },
    { for: 'the audit to end', within: minutes(5), every: seconds(0.2) },
  );
}
