import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { JsonObject } from '@windlass/foundation';
import type { OpenStackEmulator } from '@windlass/lab';
import { imageTag, type InstantiatedState, type Leftovers } from '@windlass/lifecycle';
import { ASPECT } from '../stage/chaos-package.js';
import type { Stage } from '../stage/stage.js';
import type { Evidence, InstanceRecord, PendingInternal, VimContents } from './evidence.js';
import { readLedger } from './ledger.js';

/**
 * Adds a trigger that writes down every granted claim, in the transaction that grants it: the journal itself keeps the
 * last claim only. To be called when the services have made their tables.
 */
export async function watchClaims(stage: Stage): Promise<void> {
  await withDatabase(stage, async (client) => {
    await client.query(`
      CREATE SCHEMA chaos;
      CREATE TABLE chaos.claim (n bigint GENERATED ALWAYS AS IDENTITY, at timestamptz DEFAULT clock_timestamp(),
        operation_id uuid, step_id text, phase text, epoch int, attempt_epoch int, owner text);
      CREATE FUNCTION chaos.note_claim() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO chaos.claim (operation_id, step_id, phase, epoch, attempt_epoch, owner)
        VALUES (NEW.operation_id, NEW.id, NEW.phase, NEW.epoch, NEW.attempt_epoch, NEW.owner);
        RETURN NULL;
      END $$;
      CREATE TRIGGER note_claim AFTER UPDATE ON lcm.step FOR EACH ROW
        WHEN (NEW.state = 'running' AND NEW.epoch IS DISTINCT FROM OLD.epoch) EXECUTE FUNCTION chaos.note_claim();
    `);
  });
}

const INSTEAD = imageTag('');

/** The contents of the VIM in the instances' tenant. */
export function vimContents(emulator: OpenStackEmulator): VimContents {
  const project = emulator.inventory().find((one) => one.project === emulator.tenant.project);
  if (project === undefined) throw new Error(`the emulator has no project ${emulator.tenant.project}`);
  const ids = (of: readonly { id: string }[]): string[] => of.map(({ id }) => id);
  return {
    stacks: project.stacks.map(({ name, status }) => ({ name, status })),
    servers: ids(project.servers),
    stopped: ids(project.servers.filter(({ status }) => status !== 'ACTIVE')),
    ports: ids(project.ports),
    volumes: ids(project.volumes),
    images: ids(project.images),
    insteadOf: Object.fromEntries(
      project.images.flatMap(({ id, tags }) =>
        tags.flatMap((tag) => (tag.startsWith(INSTEAD) ? [[id, tag.slice(INSTEAD.length)]] : [])),
      ),
    ) as Record<string, string>,
  };
}

type FromDatabase = Pick<Evidence, 'operations' | 'history' | 'claims' | 'steps' | 'instances' | 'sharedImages'>;

/** Reads the records of a run from the database. */
export function collectRecords(stage: Stage): Promise<FromDatabase> {
  return withDatabase(stage, async (client) => {
    const rows = async <T extends object>(sql: string): Promise<T[]> => (await client.query<T>(sql)).rows;
    const instances = await rows<InstanceRow>('SELECT id, instantiation_state, instantiated, leftovers FROM lcm.vnf_instance');
    return {
      operations: await rows(
        'SELECT id, vnf_instance_id AS "vnfInstanceId", operation, operation_state AS state FROM lcm.vnf_lcm_op_occ ORDER BY start_time',
      ),
      history: await rows(
        `SELECT message->>'operationId' AS "operationId", message->>'operationState' AS state FROM lcm.outbox
         WHERE subject LIKE 'windlass.event.operation.%' ORDER BY id`,
      ),
      claims: await rows(
        `SELECT operation_id AS "operationId", step_id AS "stepId", phase, epoch, attempt_epoch AS "attemptEpoch", owner
         FROM chaos.claim ORDER BY n`,
      ),
      steps: await rows('SELECT operation_id AS "operationId", id AS "stepId", service, phase, state FROM lcm.step'),
      instances: instances.map(recordOf),
      sharedImages: await rows(
        `SELECT i.id, array_agg(r.vnf_instance_id::text) AS instances
         FROM lcm.shared_image AS i JOIN lcm.image_reference AS r ON r.shared_image_id = i.id GROUP BY i.id`,
      ),
    };
  });
}

/** The product's own sagas that have not ended. */
export const collectPending = (stage: Stage): Promise<Evidence['pending']> =>
  withDatabase(stage, async (client) => {
    const { rows } = await client.query<PendingInternal>(
      `SELECT i.id, o.kind, i.vnf_instance_id AS "vnfInstanceId", i.error->>'detail' AS reason
       FROM lcm.internal_operation AS i JOIN lcm.operation AS o ON o.id = i.id WHERE i.state = 'PENDING' ORDER BY o.created_at`,
    );
    return rows;
  });

/** Reads the host's ledger. */
export const collectLedger = async ({ hostFolder }: Stage): Promise<Evidence['ledger']> =>
  readLedger(await readFile(join(hostFolder, 'ledger'), 'utf8'));

/** Looks for secrets in the clear in every log of the services, and in every table of the database. */
export async function collectSecretsSeen(stage: Stage, secrets: Record<string, string>): Promise<Evidence['secretsSeen']> {
  const logs = join(stage.results, 'logs');
  const texts = await Promise.all(
    (await readdir(logs)).map(async (name) => [`the log ${name}`, await readFile(join(logs, name), 'utf8')] as const),
  );
  const tables = await withDatabase(stage, async (client) => {
    const shown = ['SELECT * FROM lcm.outbox', 'SELECT * FROM lcm.step', 'SELECT * FROM lcm.operation'];
    return Promise.all(
      shown.map(async (sql) => [`the table of "${sql}"`, JSON.stringify((await client.query(sql)).rows)] as const),
    );
  });
  return [...texts, ...tables].flatMap(([where, text]) =>
    Object.entries(secrets)
      .filter(([, secret]) => text.includes(secret))
      .map(([what]) => ({ what, where })),
  );
}

interface InstanceRow {
  id: string;
  instantiation_state: string;
  instantiated: InstantiatedState | null;
  leftovers: Leftovers | null;
}

function recordOf({ id, instantiation_state: state, instantiated, leftovers }: InstanceRow): InstanceRecord {
  const info = instantiated?.info;
  const scale = info?.scaleStatus?.find(({ aspectId }) => aspectId === ASPECT.id);
  const storages = (info?.virtualStorageResourceInfo ?? []) as unknown as { storageResource: { resourceId: string } }[];
  return {
    id,
    instantiated: state === 'INSTANTIATED',
    stack: instantiated?.stack.name ?? null,
    servers: instantiated?.vnfcs.map(({ resourceId }) => resourceId) ?? [],
    stopped: stoppedServers(instantiated),
    // Ports of no VNFC too: a failed deletion may leave a member's port.
    ports: [...(instantiated?.vnfcs.flatMap(({ cps }) => cps) ?? []), ...(instantiated?.sharedCps ?? [])].map(
      ({ resourceId }) => resourceId,
    ),
    volumes: storages.map(({ storageResource }) => storageResource.resourceId),
    images: instantiated?.images ?? [],
    leftovers: leftovers === null ? null : { stack: leftovers.stack.name, images: leftovers.images },
    scaleLevel: scale === undefined ? null : Number((scale as unknown as JsonObject).scaleLevel),
    members: instantiated?.vnfcs.filter(({ aspectId }) => aspectId === ASPECT.id).length ?? 0,
  };
}

function stoppedServers(instantiated: InstantiatedState | null): string[] {
  const stopped = new Set(
    instantiated?.info.vnfcInfo?.flatMap(({ vnfcResourceInfoId, vnfcState }) =>
      vnfcState === 'STOPPED' ? [vnfcResourceInfoId] : [],
    ),
  );
  return instantiated?.vnfcs.flatMap(({ id, resourceId }) => (stopped.has(id) && resourceId !== '' ? [resourceId] : [])) ?? [];
}

async function withDatabase<T>({ postgres }: Stage, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
