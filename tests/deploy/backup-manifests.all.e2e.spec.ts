import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder, testPostgres, type TestDatabase, type TestFolder } from '@windlass/embedded/testing';
import { connectDatabase, migrate } from '@windlass/persistence';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { home } from '../support/deployed.js';
import { podProcess, type PodTemplate } from './support/pod-process.js';

/** The pods of deploy/helm/examples that save the record and bring it back, without a cluster: their commands, on what the pod lets them have. */
let folder: TestFolder;
let saved: TestDatabase;
let empty: TestDatabase;
const operation = randomUUID();
const masterKey = randomBytes(32).toString('hex');
const backupKey = randomBytes(32).toString('hex');

interface Manifest {
  kind: string;
  spec: { template?: PodTemplate; jobTemplate?: { spec: { template: PodTemplate } } };
}
/** The pod of an example, some words in it replaced. */
function podOf(file: string, words: Readonly<Record<string, string>> = {}): PodTemplate {
  let text = readFileSync(join(home, 'deploy/helm/examples', file), 'utf8');
  for (const [from, to] of Object.entries(words)) text = text.replaceAll(from, to);
  const found = parseAllDocuments(text)
    .map((each) => each.toJS() as Manifest)
    .flatMap(({ spec }) => spec.jobTemplate?.spec.template ?? spec.template ?? []);
  if (found[0] === undefined) throw new Error(`${file} has no pod`);
  return found[0];
}

const around = (url: string) => ({
  secrets: {
    'windlass-secrets': { 'database-url': url, 'master-key': `${masterKey}\n` },
    'windlass-backup': { 'backup-key': `${backupKey}\n` },
  },
  claims: { 'windlass-backups': join(folder.path, 'claim') },
});
const inPod = (name: string, pod: PodTemplate, url: string) =>
  podProcess(pod, { name, home, folder: join(folder.path, name), around: around(url) });

async function within<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  folder = testFolder();
  mkdirSync(join(folder.path, 'claim'));
  saved = await testPostgres();
  empty = await testPostgres();
  const database = await connectDatabase({ url: saved.url, applicationName: 'test', poolSize: 1 });
  await migrate(database);
  await database.destroy();
  await within(saved.url, (client) =>
    client.query(`INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'TEST', 't', 'running', 1)`, [
      operation,
    ]),
  );
});
afterAll(async () => {
  await Promise.all([saved, empty].map((database) => database.close()));
  folder.remove();
});

describe('the examples of a backup and a restore on Kubernetes', () => {
  it('save the record into the volume, by a name that no other pod has, and need nothing else that is written to', async () => {
    const { backup } = await inPod('windlass-backup-1-abcde', podOf('backup.yaml'), saved.url);
    expect(backup).toMatch(/^wrote \/backups\/windlass-backup-1-abcde\.backup: \d+ rows/);
  });

  it('name the files that are there where one is asked for that is not, and change nothing', async () => {
    const asked = inPod('restore-of-another', podOf('restore.yaml', { NAME: 'another' }), empty.url);
    await expect(asked).rejects.toThrow('another.backup');
  });

  it('bring the record back into an empty database, and refuse one that has rows', async () => {
    const pod = podOf('restore.yaml', { NAME: 'windlass-backup-1-abcde' });
    const { found, restore } = await inPod('restore', pod, empty.url);
    expect(found).toContain('windlass-backup-1-abcde.backup');
    expect(restore).toMatch(/restored \d+ rows[^]*incarnation \d+ begins/);
    const { rows } = await within(empty.url, (client) => client.query<{ id: string }>('SELECT id FROM lcm.operation'));
    expect(rows).toContainEqual({ id: operation });
    await expect(inPod('restore-again', pod, empty.url)).rejects.toThrow('has rows');
  });
});
