import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axios from 'axios';
import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKubernetesApi, type KubernetesApi } from '../enrolment/support/kubernetes-api.js';
import { startReplica, type Replica } from '../observability/support/replicas.js';
import { program } from '../support/program.js';
import { createVnf, registerVim, startSystem, type System } from '../support/system.js';
import { everyColumn } from '../secrets/support/secret-search.js';
import { deployedCluster } from './support/deployed-cluster.js';

interface Kubeconfig {
  clusters: { name: string; cluster: { server: string; 'certificate-authority-data': string } }[];
  users: { name: string; user: { token: string } }[];
  contexts: { name: string; context: { cluster: string; user: string } }[];
  'current-context': string;
}

let system: System;
let cluster: KubernetesApi;
let olga: Replica;
let rita: Replica;
let mallory: Replica;
let folder: string;
/** The VNF instance that has deployed the cluster. */
let id: string;
/** All that went over NATS. */
const heard: string[] = [];

beforeAll(async () => {
  system = await startSystem();
  system.link.connection.subscribe('>', {
    callback: (_error, { data, headers }) => void heard.push(`${String(headers)} ${Buffer.from(data).toString('latin1')}`),
  });
  cluster = await startKubernetesApi();
  await registerVim(system);
  id = await deployedCluster(system, cluster);
  olga = await startReplica(system, { user: 'olga', roles: ['operator'] });
  rita = await startReplica(system, { user: 'rita', roles: ['reader'] });
  mallory = await startReplica(system, { tenant: 'other', user: 'mallory' });
  folder = await mkdtemp(join(tmpdir(), 'windlass-kubeconfig-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await Promise.all([olga.stop(), rita.stop(), mallory.stop()]);
  await cluster.close();
  await system.close();
});

const pathOf = (of: string): string => `/windlass/v1/vnf_instances/${of}/kubeconfig`;
const take = (by: Replica, of = id) => by.api.post<Kubeconfig & JsonObject>(pathOf(of));

/** Whether the cluster lets in who comes with it. */
async function letsIn({ clusters, users, contexts, ...config }: Kubeconfig): Promise<boolean> {
  const { context } = contexts.find(({ name }) => name === config['current-context'])!;
  const { server, 'certificate-authority-data': ca } = clusters.find(({ name }) => name === context.cluster)!.cluster;
  const { token } = users.find(({ name }) => name === context.user)!.user;
  const { status } = await axios.get(`${server}/api/v1/namespaces`, {
    headers: { Authorization: `Bearer ${token}` },
    httpsAgent: new Agent({ ca: Buffer.from(ca, 'base64') }),
    proxy: false,
  });
  return status === 200;
}

describe('the kubeconfig of a cluster that a VNF instance has deployed', () => {
  it('lets an operator of its project into the cluster, and is to be kept by nobody on the way', async () => {
    const { status, headers, data } = await take(olga);
    expect(status, JSON.stringify(data)).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(data).toMatchObject({ apiVersion: 'v1', kind: 'Config' });
    expect(await letsIn(data)).toBe(true);
  });

  it('is an entry of the audit trail, with who took it and of which instance, and without the secret', async () => {
    const { headers } = await take(olga);
    const entries = await system.database.query<JsonObject[]>(
      'SELECT actor, roles, method, operation, vnf_instance_id, status, detail FROM lcm.audit_trail WHERE request_id = $1',
      [headers['x-request-id']],
    );
    expect(entries).toEqual([
      {
        actor: 'olga',
        roles: ['operator'],
        method: 'POST',
        operation: 'KUBECONFIG',
        vnf_instance_id: id,
        status: 200,
        detail: null,
      },
    ]);
  });

  it('is refused to a reader, to another project as if the instance were nobody’s, and both are entries', async () => {
    expect(await take(rita)).toMatchObject({ status: 403, data: { code: 'auth.role' } });
    const [theirs, nobodys] = [await take(mallory), await take(mallory, randomUUID())];
    for (const { status, data } of [theirs, nobodys])
      expect([status, (data as JsonObject).code]).toEqual([404, 'vnf-instance.unknown']);
    const refused = await system.database.query<JsonObject[]>(
      `SELECT actor, status FROM lcm.audit_trail WHERE vnf_instance_id = $1 AND operation = 'KUBECONFIG' AND status > 400 ORDER BY id`,
      [id],
    );
    expect(refused).toEqual([
      { actor: 'rita', status: 403 },
      { actor: 'mallory', status: 404 },
    ]);
  });

  it('is not there for an instance that is not instantiated, nor for one that has deployed no cluster; each is told why', async () => {
    const [{ vnfd_id: vnfdId }] = await system.database.query<[{ vnfd_id: string }]>('SELECT vnfd_id FROM lcm.vnf_instance');
    const fresh = (await createVnf(system.api, vnfdId)).split('/').at(-1)!;
    expect(await take(olga, fresh)).toMatchObject({ status: 409, data: { code: 'vnf-instance.wrong-state' } });
    await system.database.query(`UPDATE lcm.vnf_instance SET instantiation_state = 'INSTANTIATED' WHERE id = $1`, [fresh]);
    const without = await take(olga, fresh);
    expect(without).toMatchObject({ status: 404, data: { code: 'cluster.not-registered' } });
    expect(without.data.detail).toContain(`VNF instance ${fresh} has no cluster that is registered`);
  });

  it('leaves its token in no message and in no column', async () => {
    await take(olga);
    expect(heard.filter((message) => message.includes(cluster.token))).toEqual([]);
    expect((await everyColumn(system)).filter((text) => text.includes(cluster.token))).toEqual([]);
  });
});

describe('./windlass vnf kubeconfig', () => {
  const takes = (...more: string[]) => program(system, 'vnf', 'kubeconfig', id, ...more);

  it('writes a file that its owner alone can read, and prints its name and no secret', async () => {
    const out = join(folder, 'cluster');
    await writeFile(out, 'an older one', { mode: 0o644 });
    const printed = (await takes('--out', out)).join('\n');
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    const text = await readFile(out, 'utf8');
    expect(await letsIn(JSON.parse(text) as Kubeconfig)).toBe(true);
    expect(printed).toContain(`kubectl --kubeconfig '${out}' get nodes`);
    expect(printed).not.toContain(cluster.token);
  });

  it('prints it only where that is asked for', async () => {
    const [printed = ''] = await takes('--out', '-');
    expect(await letsIn(JSON.parse(printed) as Kubeconfig)).toBe(true);
  });

  it('says of an instance without a cluster what is wrong, and writes nothing', async () => {
    const out = join(folder, 'none');
    const asked = program(system, 'vnf', 'kubeconfig', randomUUID(), '--out', out);
    await expect(asked).rejects.toThrow(/there is no VNF instance/);
    await expect(stat(out)).rejects.toThrow('ENOENT');
  });
});

describe('./windlass vim list', () => {
  it('shows the VIMs, a line each, the cluster among them, and no secret', async () => {
    const lines = await program(system, 'vim', 'list');
    expect(lines).toHaveLength(2);
    expect(lines.filter((line) => line.endsWith('  default'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes(`  kubernetes  cluster-of-a-vnf  ${cluster.url}`))).toHaveLength(1);
    expect(lines.join()).not.toContain(cluster.token);
  });
});
