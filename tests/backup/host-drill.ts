import { readFile } from 'node:fs/promises';
import { millis, minutes, seconds, Turns, waitUntil, type JsonObject } from '@windlass/foundation';
import type { AxiosResponse } from 'axios';
import pg from 'pg';
import type { LedgerLine } from '../chaos/judge/evidence.js';
import { chaosPackage } from '../chaos/stage/chaos-package.js';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { patiently, resting, restoredInto, saved } from './drill.js';
import { DrillHost, type Fences } from './drill-host.js';

const KINDS = ['instantiate', 'scale out', 'scale in', 'heal', 'terminate'] as const;
/** Where an operation is when the backup is taken: in the job of its first hook, in the VIM, or in the job of its last hook. */
const PLACES = ['start', 'VIM', 'end'] as const;

type Kind = (typeof KINDS)[number];

/** An operation that is in flight when the backup is taken. */
export interface InFlight {
  kind: Kind;
  place: (typeof PLACES)[number];
  /** Its jobs leave nothing by which a check could tell that they are done. */
  isBlind: boolean;
  /** It ended in the record that was lost; else its job still runs on the host when the record is restored. */
  wentOn: boolean;
  vnf: string;
  vnfInstanceId: string;
  operationId: string;
}

interface UnknownStep {
  operationId: string;
  stepId: string;
}

/** A claim that was granted, with the epochs that its worker saw. */
export interface Claimed {
  operationId: string;
  stepId: string;
  action: string;
  phase: 'do' | 'undo';
  epoch: number;
  attemptEpoch: number;
  /** Granted while the restored record waited for audits; null in a record that was never restored. */
  beforeRelease: boolean | null;
}

/** Instances whose operation was asked for after the backup was taken: the restored record knows nothing of it. */
export interface Forgotten {
  instantiated: string;
  terminated: string;
}

/** What a drill with hosts came to. */
export interface DrilledHosts {
  host: DrillHost;
  system: System;
  /** The step of each operation that ran when the backup was taken, by the operation. */
  unknown: ReadonlyMap<string, string>;
  operations: InFlight[];
  forgotten: Forgotten;
  /** When the record was lost, and when every operation had come to rest after the restore. */
  lost: { ledger: LedgerLine[]; fences: Fences };
  rested: { ledger: LedgerLine[]; occurrences: Map<string, JsonObject> };
  /** Of the record that was lost, and of the restored one until now. */
  claims(): Promise<{ before: Claimed[]; after: Claimed[] }>;
  close(): Promise<void>;
}

/** A stack's first change takes so long: until the backup is there. */
const STACK_TAKES = seconds(20);

/** Operations that are brought to where they are to be at a time: what is busy with all of them at once takes no less long. */
const AT_ONCE = 5;

/** Nobody is killed here: a lease that ends on a busy machine would only have work done anew. */
const LEASE = seconds(60);

const NETWORK = {
  id: 'net',
  resourceId: 'net0',
  extCps: [{ cpdId: 'VDU1_CP1', cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }] }],
};

const instantiation = (level: 'one' | 'three'): JsonObject => ({
  flavourId: 'default',
  instantiationLevelId: level,
  extVirtualLinks: [NETWORK],
});

const REQUESTS: Readonly<Record<Kind, readonly [task: string, body: JsonObject]>> = {
  instantiate: ['instantiate', instantiation('one')],
  'scale out': ['scale', { type: 'SCALE_OUT', aspectId: 'members', numberOfSteps: 1 }],
  'scale in': ['scale', { type: 'SCALE_IN', aspectId: 'members', numberOfSteps: 1 }],
  heal: ['heal', { cause: 'drill' }],
  terminate: ['terminate', { terminationType: 'FORCEFUL' }],
};

/** Servers of an instance once its operation is done. */
export const SERVERS: Readonly<Record<Kind, number>> = {
  instantiate: 1,
  'scale out': 2,
  'scale in': 2,
  heal: 1,
  terminate: 0,
};

/**
 * Of each kind six operations, whose hooks run jobs on a machine; each is held in one of three places. There the record is saved, then it goes on for a while: the
 * worker of the hooks is replaced, most operations end. Then it is lost, and the backup is restored into another database; the same VIM and the same machine are there.
 */
export async function hostDrill(): Promise<DrilledHosts> {
  const host = await DrillHost.start();
  const before = await startSystem({ policy: { lease: LEASE } });
  await watchClaims(before.servers.postgres.url);
  await registerVim(before);
  const { vnfdId } = await onboardZip(before.api, await readFile(await chaosPackage(host.folder)));
  const served = await host.serve(before);
  const operations = await aFewAtOnce(planned(), (one) => prepared(before, vnfdId, one));
  const [made, ended] = [await createVnf(before.api, vnfdId), await instance(before, vnfdId, 'terminate')];
  const forgotten = { instantiated: idOf(made), terminated: idOf(ended) };
  await held(before, host, operations);
  const backup = await saved(before);
  await served.replaceWorker();
  await goOn(before, host, operations, forgotten);
  await served.stop();
  const claimed = await claimsOf(before.servers.postgres.url);
  await before.leave();
  const lost = { ledger: await host.ledger(), fences: await host.fences() };

  const { target } = await restoredInto(backup);
  await watchClaims(target.url);
  const unknown = (await query(
    target.url,
    'SELECT operation_id AS "operationId", step_id AS "stepId" FROM lcm.restored_step',
  )) as UnknownStep[];
  const system = await startSystem({ policy: { lease: LEASE }, after: { left: before, databaseUrl: target.url } });
  const servedAgain = await host.serve(system);
  const occurrences = await resting(system);
  return {
    ...{
      host,
      system,
      unknown: new Map(unknown.map(({ operationId, stepId }) => [operationId, stepId])),
      operations,
      forgotten,
      lost,
    },
    rested: { ledger: await host.ledger(), occurrences },
    claims: async () => ({ before: claimed, after: await claimsOf(target.url) }),
    close: async () => {
      await servedAgain.stop();
      await system.leave();
      await before.emulator.stop();
      await before.servers.close();
      await target.close();
      await host.close();
    },
  };
}

type Planned = Pick<InFlight, 'kind' | 'place' | 'isBlind' | 'wentOn'>;

/** Each place with a check and without; each of these, over the kinds, done and not done when the record is lost. */
const planned = (): Planned[] =>
  KINDS.flatMap((kind, n) =>
    PLACES.flatMap((place, m) =>
      [false, true].map((isBlind) => ({ kind, place, isBlind, wentOn: place === 'VIM' || (n + m + Number(isBlind)) % 2 === 0 })),
    ),
  );

/** An instance in the state in which the operation may be asked for. */
async function instance(system: System, vnfdId: unknown, kind: Kind): Promise<string> {
  const path = await patiently(() => createVnf(system.api, vnfdId));
  if (kind === 'instantiate') return path;
  const accepted = await asked(system, `${path}/instantiate`, instantiation(kind === 'scale in' ? 'three' : 'one'));
  const { operationState, error } = await atRest(system.api, accepted, minutes(2));
  if (operationState !== 'COMPLETED') throw new Error(`${path} was not instantiated: ${JSON.stringify(error)}`);
  return path;
}

async function prepared(system: System, vnfdId: unknown, one: Planned): Promise<InFlight> {
  const vnf = await instance(system, vnfdId, one.kind);
  return { ...one, vnf, vnfInstanceId: idOf(vnf), operationId: '' };
}

/** Asks for all of them, and waits until each is where it is to be. */
async function held(system: System, host: DrillHost, operations: InFlight[]): Promise<void> {
  for (const { place, vnfInstanceId, isBlind } of operations) {
    if (isBlind) host.blind(vnfInstanceId);
    if (place !== 'VIM') await host.shut(vnfInstanceId, place);
  }
  const ask = async (one: InFlight): Promise<void> => {
    const [task, body] = REQUESTS[one.kind];
    one.operationId = operationOf(await asked(system, `${one.vnf}/${task}`, body));
  };
  const [inVim, onHost] = [operations.filter(({ place }) => place === 'VIM'), operations.filter(({ place }) => place !== 'VIM')];
  await aFewAtOnce(onHost, async (one) => {
    await ask(one);
    await until('its job to be held on the host', async () => isHeld(await host.ledger(), one));
  });
  for (const { vnfInstanceId } of inVim)
    system.emulator.faults.add({ kind: 'slow-stack', delayMs: STACK_TAKES, stackName: vnfInstanceId, times: 1 });
  await Promise.all(inVim.map(ask));
  await until('each of the others to have its stack changed', () => Promise.resolve(system.emulator.faults.list().length === 0));
}

/** @throws Error where it is not accepted */
const asked = ({ api }: System, path: string, body: JsonObject): Promise<AxiosResponse<unknown>> =>
  patiently(async () => {
    const accepted = await api.post<unknown>(path, body);
    if (accepted.status !== 202) throw new Error(`${path}: ${accepted.status} ${JSON.stringify(accepted.data)}`);
    return accepted;
  });

const operationOf = ({ headers }: AxiosResponse<unknown>): string => idOf(new URL(String(headers.location)).pathname);

const isHeld = (ledger: readonly LedgerLine[], { operationId, place }: InFlight): boolean => {
  const events = ledger.filter((line) => line.operationId === operationId).map(({ event }) => event);
  return events.join() === (place === 'start' ? 'begin' : 'begin,end,begin');
};

function aFewAtOnce<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const turns = new Turns({ places: AT_ONCE });
  return Promise.all(all.map((one) => turns.run('', () => work(one))));
}

/** What the backup does not have: operations end, and others are asked for. */
async function goOn(
  system: System,
  host: DrillHost,
  operations: readonly InFlight[],
  { instantiated, terminated }: Forgotten,
): Promise<void> {
  const ending = operations.filter(({ wentOn }) => wentOn);
  for (const { place, vnfInstanceId } of ending) if (place !== 'VIM') await host.open(vnfInstanceId, place);
  const later = [
    await asked(system, `/vnflcm/v1/vnf_instances/${instantiated}/instantiate`, instantiation('one')),
    await asked(system, `/vnflcm/v1/vnf_instances/${terminated}/terminate`, { terminationType: 'FORCEFUL' }),
  ];
  const ids = [...ending.map(({ operationId }) => operationId), ...later.map(operationOf)];
  await until('what goes on to be completed before the record is lost', async (seen) => {
    const rows = await system.database.query<{ state: string; n: number }[]>(
      'SELECT operation_state AS state, count(*)::int AS n FROM lcm.vnf_lcm_op_occ WHERE id = ANY ($1::uuid[]) GROUP BY 1',
      [ids],
    );
    seen(JSON.stringify(rows));
    if (rows.some(({ state }) => state === 'FAILED_TEMP')) throw new Error(`operations failed: ${JSON.stringify(rows)}`);
    return rows.length === 1 && rows[0]?.state === 'COMPLETED' && rows[0].n === ids.length;
  });
}

const idOf = (path: string): string => path.split('/').at(-1) ?? '';

const until = (what: string, is: (seen: (text: string) => void) => Promise<boolean>): Promise<true> =>
  waitUntil(async (seen) => (await is(seen)) || undefined, { for: what, within: minutes(3), every: millis(50) });

/** Has a database write down every claim that is granted, in the transaction that grants it, with the epochs that workers see. */
const watchClaims = (url: string): Promise<unknown> =>
  query(
    url,
    `CREATE SCHEMA drill;
     CREATE TABLE drill.claim (n bigint GENERATED ALWAYS AS IDENTITY, at timestamptz DEFAULT clock_timestamp(),
       operation_id uuid, step_id text, action text, phase text, epoch bigint, attempt_epoch bigint);
     CREATE FUNCTION drill.note_claim() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       INSERT INTO drill.claim (operation_id, step_id, action, phase, epoch, attempt_epoch)
       VALUES (NEW.operation_id, NEW.id, NEW.action, NEW.phase, NEW.epoch + lcm.epoch_base(), NEW.attempt_epoch + lcm.epoch_base());
       RETURN NULL;
     END $$;
     CREATE TRIGGER note_claim AFTER UPDATE ON lcm.step FOR EACH ROW
       WHEN (NEW.state = 'running' AND NEW.epoch IS DISTINCT FROM OLD.epoch) EXECUTE FUNCTION drill.note_claim();`,
  );

const claimsOf = async (url: string): Promise<Claimed[]> =>
  (await query(
    url,
    `SELECT operation_id AS "operationId", step_id AS "stepId", action, phase, epoch::float8 AS epoch, attempt_epoch::float8 AS "attemptEpoch",
       at < (SELECT max(released_at) FROM lcm.incarnation) AS "beforeRelease" FROM drill.claim ORDER BY n`,
  )) as Claimed[];

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
}
