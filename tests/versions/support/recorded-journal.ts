import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Json, JsonObject } from '@windlass/foundation';
import type { OpenStackEmulator } from '@windlass/lab';
import { desiredOnce, type OpOccRecord, type VnfInstanceRecord } from '@windlass/lifecycle';
import { migrations } from '@windlass/persistence';
import type { OperationRecord, StepRecord } from '@windlass/saga';
import type { World } from '../../crash-points/support/world.js';
import { lines, pack, packFields, unpack, type Parts } from './shared-values.js';

const FIXTURES = join(import.meta.dirname, '../fixtures');
/** The file of each release's folder with the values that its journals share. */
const PARTS = 'parts.json';

/** An operation as a release left it: every row of the engine and the lifecycle, payloads opened, secrets and addresses replaced. */
export interface RecordedJournal {
  release: string;
  /** The last migration of the release, which tells the tables of its database. */
  migration: string;
  /** Such as `INSTANTIATE in the middle of a hook`. */
  title: string;
  sample: string;
  /** The operation that is to be completed. */
  operationId: string;
  /** The time by the database's clock. */
  now: string;
  operations: OperationRecord[];
  steps: Record<string, RecordedStep[]>;
  payloads: Record<string, Json>;
  opOccs: OpOccRecord[];
  instances: RecordedInstance[];
}

/** A step as a release kept it: one before migration 44 knew of none that only waits. */
export type RecordedStep = StepRecord | Omit<StepRecord, 'waitingEpoch'>;

/** An instance as a release kept it: releases before migration 11 had the instantiation's request in the place of `desired`. */
export type RecordedInstance = VnfInstanceRecord | OldInstance;

export interface OldInstance extends Omit<VnfInstanceRecord, 'desired' | 'properties'> {
  instantiateRequest: JsonObject | null;
}

/** The instance as this release keeps it. */
export function instanceOfToday(recorded: RecordedInstance): VnfInstanceRecord {
  // Releases before migration 17 kept no properties.
  const properties = ('properties' in recorded ? recorded.properties : undefined) ?? null;
  if (!('instantiateRequest' in recorded)) return { ...recorded, properties };
  const { instantiateRequest, ...instance } = recorded;
  return {
    ...instance,
    properties,
    desired: instantiateRequest === null ? null : desiredOnce(instantiateRequest, instance.instantiated?.info),
  };
}

/** Names of all migrations, in their order. */
export const MIGRATIONS: readonly string[] = migrations.map((migration) => new migration().name);

const PASSWORD = '<the password of the VIM>';
const VIM_URL = '<the URL of the VIM>';
const DATES = [
  'statusSince',
  'leaseUntil',
  'nextAttemptAt',
  'dispatchBy',
  'rungAt',
  'startedAt',
  'endedAt',
  'stateEnteredTime',
  'startTime',
];

/** All rows of the world as they stand now. */
export async function record(world: World, of: Pick<RecordedJournal, 'release' | 'title' | 'operationId'>): Promise<void> {
  const { journal, store, emulator, sample } = world;
  const recorded: RecordedJournal = {
    ...of,
    migration: MIGRATIONS.at(-1) ?? '',
    sample: sample.name,
    now: journal.now.toISOString(),
    operations: [...journal.operations.values()],
    steps: Object.fromEntries(journal.steps),
    payloads: Object.fromEntries(journal.payloads),
    opOccs: [...store.opOccs.values()],
    instances: [...store.instances.values()],
  };
  const text = JSON.stringify(recorded).replaceAll(emulator.tenant.password, PASSWORD).replaceAll(emulator.url, VIM_URL);
  const folder = join(FIXTURES, of.release);
  await mkdir(folder, { recursive: true });
  const parts = await partsIn(folder);
  const packed = packJournal(JSON.parse(text) as JsonObject, parts);
  await writeFile(join(folder, PARTS), `${lines(parts)}\n`);
  await writeFile(join(folder, `${of.title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.json`), `${lines(packed)}\n`);
}

/** The journal as text: each row and payload on a line, with long values among the parts. */
function packJournal(journal: JsonObject, parts: Parts): JsonObject {
  const rows = (value: Json): Json => {
    if (Array.isArray(value)) return value.map((row) => packFields(row, parts));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, Array.isArray(one) ? rows(one as Json) : pack(one as Json, parts)]),
    );
  };
  return Object.fromEntries(Object.entries(journal).map(([key, value]) => [key, rows(value as Json)]));
}

async function partsIn(folder: string): Promise<Parts> {
  try {
    return JSON.parse(await readFile(join(folder, PARTS), 'utf8')) as Parts;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** Every recorded journal of every release. */
export async function recordedJournals(): Promise<{ name: string; text: string }[]> {
  const files = (await readdir(FIXTURES, { recursive: true })).filter(
    (name) => name.endsWith('.json') && basename(name) !== PARTS,
  );
  return Promise.all(
    files.sort().map(async (name) => {
      const packed = JSON.parse(await readFile(join(FIXTURES, name), 'utf8')) as JsonObject;
      return { name, text: JSON.stringify(unpack(packed, await partsIn(join(FIXTURES, dirname(name))))) };
    }),
  );
}

/** A recorded journal, with the given VIM in the place of its own. */
export function inVim(text: string, { tenant, url }: OpenStackEmulator): RecordedJournal {
  return JSON.parse(text.replaceAll(PASSWORD, tenant.password).replaceAll(VIM_URL, url)) as RecordedJournal;
}

/** Puts a recorded journal into a world in memory. */
export function load(world: World, text: string): RecordedJournal {
  const { journal, store, emulator } = world;
  const recorded = inVim(text, emulator);
  journal.now = new Date(recorded.now);
  for (const operation of recorded.operations) journal.operations.set(operation.id, datesIn(operation));
  for (const [id, steps] of Object.entries(recorded.steps)) journal.steps.set(id, steps.map(stepOfToday));
  for (const [key, value] of Object.entries(recorded.payloads)) journal.payloads.set(key, value);
  for (const opOcc of recorded.opOccs) store.opOccs.set(opOcc.id, datesIn(opOcc));
  for (const instance of recorded.instances) store.instances.set(instance.id, instanceOfToday(instance));
  return recorded;
}

/** A step as this release keeps it. */
export const stepOfToday = (recorded: RecordedStep): StepRecord => {
  const waitingEpoch = ('waitingEpoch' in recorded ? recorded.waitingEpoch : undefined) ?? null;
  return datesIn({ ...recorded, waitingEpoch });
};

/** Turns the times of a row, which JSON made texts, into dates. */
export const datesIn = <T extends object>(row: T): T =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]: [string, unknown]) => [
      key,
      DATES.includes(key) && typeof value === 'string' ? new Date(value) : value,
    ]),
  ) as T;
