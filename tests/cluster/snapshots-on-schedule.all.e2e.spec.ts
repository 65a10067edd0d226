import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCluster, startDeployed, type Deployed } from '../support/deployed.js';

interface Kept extends JsonObject {
  id: string;
  operationId: string;
  size: number;
  sha256: string;
}

let deployed: Deployed;
let database: pg.Client;
/** Of the instance below the project's own API. */
let own: string;
let id: string;

beforeAll(async () => {
  deployed = await startDeployed({ CLUSTER_SNAPSHOT_EVERY: '1h', CLUSTER_SNAPSHOTS_KEPT: '2' });
  database = new pg.Client({ connectionString: deployed.postgres.url });
  await database.connect();
  const { path, request } = await newCluster(deployed);
  id = path.split('/').at(-1) ?? '';
  own = `/windlass/v1/vnf_instances/${id}`;
  const made = await deployed.api.follow(await deployed.api.accept(`${path}/instantiate`, request), minutes(9), () => undefined);
  expect(made, JSON.stringify(made)).toMatchObject({ operationState: 'COMPLETED' });
});
afterAll(async () => {
  await database.end();
  await deployed.close();
});

const kept = () => deployed.api.get<Kept[]>(`${own}/snapshots`);
const attempts = () => deployed.api.get<{ id: string; state: string; reason: string | null }[]>(`${own}/snapshot_attempts`);

/** Two hours pass for the record of its snapshots, and of what the schedule tried. */
async function twoHoursPass(): Promise<void> {
  await database.query(`UPDATE lcm.cluster_snapshot SET begun_at = begun_at - interval '2 hours' WHERE vnf_instance_id = $1`, [
    id,
  ]);
  await database.query(`UPDATE lcm.operation SET created_at = created_at - interval '2 hours' WHERE kind = 'SNAPSHOT'`);
}

/** The next attempt of the schedule, when it has ended. */
async function nextAttempt(): Promise<{ id: string; state: string; reason: string | null }> {
  const before = new Set((await attempts()).map((each) => each.id));
  await twoHoursPass();
  return waitUntil(
    async (seen) => {
      const newest = (await attempts()).find((each) => !before.has(each.id));
      seen(JSON.stringify(newest));
      return newest === undefined || newest.state === 'RUNNING' ? undefined : newest;
    },
    { for: 'the schedule to take a snapshot', within: minutes(4), every: seconds(1) },
  );
}

async function onMaster(...argv: string[]): Promise<string> {
  const { instantiatedVnfInfo } = await deployed.api.get<{
    instantiatedVnfInfo: { vnfcResourceInfo: { vduId: string; computeResource: { resourceId: string } }[] };
  }>(`/vnflcm/v1/vnf_instances/${id}`);
  const master = instantiatedVnfInfo.vnfcResourceInfo.find(({ vduId }) => vduId === 'masterNode');
  const { status, stdout, stderr } = await deployed.lab.fleet.exec(master?.computeResource.resourceId ?? '', argv);
  expect(status, stderr).toBe(0);
  return stdout.trim();
}

describe('a cluster on machines that nobody operates on', () => {
  it(
    'has a snapshot taken by the schedule when the newest is too old, whole, and nothing of it stays on the master',
    async () => {
      const [first, ...others] = await kept();
      expect(others, 'the instantiation kept one').toEqual([]);
      const attempt = await nextAttempt();
      expect(attempt).toMatchObject({ state: 'KEPT', reason: null });
      const [newest, older] = await kept();
      expect([newest?.operationId, older?.id]).toEqual([attempt.id, first?.id]);
      const archive = await buffer(await deployed.api.bytes(`${own}/snapshots/${newest?.id ?? ''}/archive`, 'application/gzip'));
      expect([archive.length, createHash('sha256').update(archive).digest('hex')]).toEqual([newest?.size, newest?.sha256]);
      expect(await onMaster('sh', '-c', 'ls /var/lib /var/lib/etcd | grep windlass-snapshot || true')).toBe('');
    },
    minutes(6),
  );

  it(
    'keeps the newest of them and no more',
    async () => {
      const [last] = await kept();
      const attempt = await nextAttempt();
      expect(attempt).toMatchObject({ state: 'KEPT' });
      const now = await kept();
      expect(now.map(({ operationId }) => operationId)).toEqual([attempt.id, last?.operationId]);
      const { rows } = await database.query(`SELECT DISTINCT snapshot_id FROM lcm.cluster_snapshot_part`);
      expect(rows, 'parts of those that went').toHaveLength(2);
    },
    minutes(6),
  );
});
