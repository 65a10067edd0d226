import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@windlass/foundation';
import { SNAPSHOT_PART_BYTES } from '@windlass/persistence';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instantiate, inState, startReplica, type Replica } from '../observability/support/replicas.js';
import { program } from '../support/program.js';
import { onboard, registerVim, startSystem, type System } from '../support/system.js';
import { keptSnapshot } from './support/kept-snapshot.js';

let system: System;
let adam: Replica;
let olga: Replica;
let rita: Replica;
let mallory: Replica;
let folder: string;
/** The VNF instance whose cluster it is. */
let id: string;
/** Archives, the newest first. */
const archives = [randomBytes(SNAPSHOT_PART_BYTES * 2 + 10), randomBytes(100)];

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  const { vnfdId } = await onboard(system.api, 'simple-vm');
  const made = await instantiate(system.api, vnfdId);
  await inState(system.api, made.operationId, 'COMPLETED');
  id = made.instance;
  for (const content of [...archives].reverse()) await keptSnapshot(system, id, content);
  adam = await startReplica(system, { user: 'adam', roles: ['admin'] });
  olga = await startReplica(system, { user: 'olga', roles: ['operator'] });
  rita = await startReplica(system, { user: 'rita', roles: ['reader'] });
  mallory = await startReplica(system, { tenant: 'other', user: 'mallory', roles: ['admin'] });
  folder = await mkdtemp(join(tmpdir(), 'windlass-snapshots-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await Promise.all([adam.stop(), olga.stop(), rita.stop(), mallory.stop()]);
  await system.close();
});

const pathOf = (of = id): string => `/windlass/v1/vnf_instances/${of}/snapshots`;
const list = async (): Promise<string[]> => (await rita.api.get<{ id: string }[]>(pathOf())).data.map((each) => each.id);
const take = (by: Replica, snapshot: string, of = id) =>
  by.api.post<Buffer>(`${pathOf(of)}/${snapshot}/archive`, undefined, {
    responseType: 'arraybuffer',
    headers: { Accept: 'application/gzip, application/json' },
  });
const codeOf = ({ data }: { data: Buffer }): unknown => (JSON.parse(Buffer.from(data).toString()) as JsonObject).code;

describe('snapshots of a cluster that a VNF instance has deployed', () => {
  it('are listed for readers of its project, the newest first, and nothing of what is in them', async () => {
    const { status, data } = await rita.api.get<JsonObject[]>(pathOf());
    expect(status).toBe(200);
    expect(data).toEqual(
      archives.map((content) => ({
        id: expect.any(String) as string,
        takenAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        operationId: expect.any(String) as string,
        master: '10.10.0.24',
        size: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
      })),
    );
    expect((await mallory.api.get(pathOf())).status).toBe(404);
  });

  it('are given to admins of its project as they were taken, to be kept by nobody on the way, and the audit trail tells to whom', async () => {
    const [newest = ''] = await list();
    const { status, headers, data } = await take(adam, newest);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': 'application/gzip', 'cache-control': 'no-store' });
    expect(Buffer.from(data).equals(archives[0]!)).toBe(true);
    const entries = await system.database.query<JsonObject[]>(
      'SELECT actor, method, operation, vnf_instance_id, status, resource FROM lcm.audit_trail WHERE request_id = $1',
      [headers['x-request-id']],
    );
    const resource = `${pathOf()}/${newest}/archive`;
    expect(entries).toEqual([
      { actor: 'adam', method: 'POST', operation: 'SNAPSHOT', vnf_instance_id: id, status: 200, resource },
    ]);
  });

  it('are given to no operator, no other project, and under no other instance’s path', async () => {
    const [newest = ''] = await list();
    const asOperator = await take(olga, newest);
    expect([asOperator.status, codeOf(asOperator)]).toEqual([403, 'auth.role']);
    const elsewhere = await take(mallory, newest);
    expect([elsewhere.status, codeOf(elsewhere)]).toEqual([404, 'vnf-instance.unknown']);
    const unknown = await take(adam, randomUUID());
    expect([unknown.status, codeOf(unknown)]).toEqual([404, 'snapshot.unknown']);
  });

  it('that do not open are an error as any, and no half archive', async () => {
    const [newest = ''] = await list();
    const where = 'WHERE snapshot_id = $1 AND number = 0';
    const before = await system.database.query<[{ bytes: Buffer }]>(`SELECT bytes FROM lcm.cluster_snapshot_part ${where}`, [
      newest,
    ]);
    await system.database.query(`UPDATE lcm.cluster_snapshot_part SET bytes = '\\x0102' ${where}`, [newest]);
    try {
      expect((await take(adam, newest)).status).toBe(500);
    } finally {
      const sql = `UPDATE lcm.cluster_snapshot_part SET bytes = $2 ${where}`;
      await system.database.query(sql, [newest, before[0].bytes]);
    }
  });
});

describe('./windlass vnf snapshots', () => {
  const says = (...more: string[]) => program(system, 'vnf', 'snapshots', ...more);

  it('lists them, a line each', async () => {
    const lines = await says(id);
    expect(lines.map((line) => line.split('  ')[0])).toEqual(await list());
    expect(lines[0]).toMatch(/^\S+ {2}\d{4}-\S+Z {2}master 10\.10\.0\.24 {2}1048586 bytes$/);
  });

  it('writes the newest, or the one that is named, to a file that its owner alone can read', async () => {
    const out = join(folder, 'snapshot.tar.gz');
    await writeFile(out, 'an older one', { mode: 0o644 });
    const [said = ''] = await says(id, '--save', out);
    expect(said).toContain('docs/runbooks/cluster-snapshots.md');
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    expect((await readFile(out)).equals(archives[0]!)).toBe(true);
    await says(id, '--save', out, '--snapshot', (await list())[1]!);
    expect((await readFile(out)).equals(archives[1]!)).toBe(true);
  });

  it('writes nothing where what comes is not what was listed, and leaves what was there', async () => {
    const out = join(folder, 'kept.tar.gz');
    await writeFile(out, 'an older one');
    const [newest = ''] = await list();
    const sql = 'UPDATE lcm.cluster_snapshot SET sha256 = $2 WHERE id = $1';
    const [{ sha256 }] = await system.database.query<[{ sha256: string }]>(
      'SELECT sha256 FROM lcm.cluster_snapshot WHERE id = $1',
      [newest],
    );
    await system.database.query(sql, [newest, 'f'.repeat(64)]);
    await expect(says(id, '--save', out)).rejects.toThrow(/is not what is kept: try again/);
    await system.database.query(sql, [newest, sha256]);
    expect(await readFile(out, 'utf8')).toBe('an older one');
    expect((await readdir(folder)).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it('says what is wrong: no such instance, no such snapshot, none to be saved', async () => {
    await expect(says(randomUUID())).rejects.toThrow(/there is no VNF instance/);
    const unknown = says(id, '--save', join(folder, 'none'), '--snapshot', randomUUID());
    await expect(unknown).rejects.toThrow(/no snapshot \S+ is kept of \S+: the command without --save lists those that are/);
    await expect(says(id, '--snapshot', randomUUID())).rejects.toThrow(/give --save <file>, too/);
  });
});
