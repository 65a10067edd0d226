import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@windlass/foundation';
import type { Vnfc } from '@windlass/mgmt-driver';
import { surroundings, vimCommand } from '@windlass/windlass';
import { buildCsar } from '@windlass/vnf-package';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startReplica, type Replica } from '../observability/support/replicas.js';
import {
  atRest,
  createVnf,
  onboard,
  onboardZip,
  registerVim,
  sampleRequest,
  startSystem,
  type System,
} from '../support/system.js';

/** ssh-keygen -l says SHA256:ZkAslGjFiUHdGf/WUL8rQvkib4PTvQatUV0OUQSncCA of it. */
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';

let system: System;
let vnfdId: unknown;
let request: JsonObject;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
  request = await sampleRequest('instantiate-simple-vm.json', 'net0');
});
afterAll(() => system.close());

const vnfcOf = async (path: string): Promise<Vnfc> => {
  const [row] = await system.database.query<{ vnfc: Vnfc }[]>(
    `SELECT instantiated->'vnfcs'->0 AS vnfc FROM lcm.vnf_instance WHERE id = $1`,
    [path.split('/').at(-1)],
  );
  if (row === undefined) throw new Error(`there is no instance ${path}`);
  return row.vnfc;
};

/** As the VIM registry pins it on behalf of a claim. */
const pin = (path: string, { id, resourceId }: Vnfc, key = KEY): Promise<unknown> =>
  system.database.query(
    `INSERT INTO lcm.host_key (resource_id, key, tenant, vnf_instance_id, vnfc_id, operation_id, service, key_id)
     VALUES ($1, $2, 'default', $3, $4, gen_random_uuid(), 'k8s-mgmt', 'key')`,
    [resourceId, key, path.split('/').at(-1), id],
  );

const instantiate = async (params: JsonObject = {}): Promise<string> => {
  const path = await createVnf(system.api, vnfdId);
  const additionalParams = { ...(request.additionalParams as JsonObject | undefined), ...params };
  const accepted = await system.api.post(`${path}/instantiate`, { ...request, additionalParams });
  expect(await atRest(system.api, accepted)).toMatchObject({ operationState: 'COMPLETED' });
  return path;
};

/** The sample, as a package of its own, whose server has that key in its metadata. */
async function withHostKey(key: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-csar-'));
  try {
    await cp(join(import.meta.dirname, '../../samples/simple-vm'), join(folder, 'csar'), { recursive: true });
    const edit = async (file: string, from: RegExp, to: string): Promise<void> => {
      const path = join(folder, 'csar', file);
      await writeFile(path, (await readFile(path, 'utf8')).replaceAll(from, to));
    };
    const metadata = `      name: VDU1\n      metadata: { "windlass:host_key": "${key} root@vm" }`;
    await edit('BaseHOT/default/default_hot_top.yaml', /^ {6}name: VDU1$/gm, metadata);
    const vnfdId = randomUUID();
    for (const file of await readdir(join(folder, 'csar/Definitions')))
      await edit(`Definitions/${file}`, /c3d1a1f4-0f6e-4f43-8a5b-6b0d2c9e7f10/g, vnfdId);
    await buildCsar(join(folder, 'csar'), join(folder, 'package.zip'));
    return await readFile(join(folder, 'package.zip'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const pinned = async (): Promise<string[]> =>
  (await system.database.query<{ id: string }[]>('SELECT resource_id AS id FROM lcm.host_key ORDER BY id')).map(({ id }) => id);

describe('host keys of an instance', () => {
  it('that the request knows are known of its machine, by VDU', async () => {
    const path = await instantiate({ windlass_host_keys: { VDU1: [`${KEY} root@vm`] } });
    expect(await vnfcOf(path)).toMatchObject({ hostKeys: [KEY] });
    const healed = await atRest(system.api, await system.api.post(`${path}/heal`, { additionalParams: { all: false } }));
    expect(healed).toMatchObject({ operationState: 'COMPLETED' });
    // Another machine: what was known of the old one says nothing of it.
    expect(await vnfcOf(path)).not.toHaveProperty('hostKeys');
  });

  it('that its template gives a server are known of its machine', async () => {
    const onboarded = await onboardZip(system.api, await withHostKey(KEY));
    const path = await createVnf(system.api, onboarded.vnfdId);
    await atRest(system.api, await system.api.post(`${path}/instantiate`, request));
    expect(await vnfcOf(path)).toMatchObject({ hostKeys: [KEY] });
  });

  it('that are none are refused at their place, before anything begins', async () => {
    const path = await createVnf(system.api, vnfdId);
    const additionalParams = { windlass_host_keys: { VDU1: ['ssh-ed25519 nonsense'] } };
    const { status, data } = await system.api.post<JsonObject>(`${path}/instantiate`, { ...request, additionalParams });
    expect([status, data.invalidParams]).toMatchObject([400, [{ path: '/additionalParams/windlass_host_keys/VDU1/0' }]]);
  });

  it('go with the machine: when it is replaced, and with the instance', async () => {
    const [path, other] = [await instantiate(), await instantiate()];
    const [before, kept] = [await vnfcOf(path), await vnfcOf(other)];
    await pin(path, before);
    await pin(other, kept);
    await atRest(system.api, await system.api.post(`${path}/heal`, { additionalParams: { all: false } }));
    expect(await pinned()).toEqual([kept.resourceId]);
    await pin(path, await vnfcOf(path));
    await atRest(system.api, await system.api.patch(path, { vnfInstanceName: 'still there' }));
    expect(await pinned()).toHaveLength(2);
    await atRest(system.api, await system.api.post(`${path}/terminate`, { terminationType: 'FORCEFUL' }));
    expect(await pinned()).toEqual([kept.resourceId]);
    await pin(path, before);
    expect((await system.api.delete(path)).status).toBe(204);
    expect(await pinned()).toEqual([kept.resourceId]);
    await system.database.query('DELETE FROM lcm.host_key');
  });
});

describe('./windlass vim host-key', () => {
  let folder: string;
  let replicas: Replica[];
  let path: string;
  let vnfc: Vnfc;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'windlass-cli-'));
    const others = [{ user: 'bob', roles: ['reader'] as const }, { user: 'eve', tenant: 'other' }, { user: 'anna' }];
    replicas = await Promise.all(others.map((other) => startReplica(system, other)));
    path = await instantiate();
    vnfc = await vnfcOf(path);
    await pin(path, vnfc);
    await system.database.query(`INSERT INTO lcm.host_key (resource_id, key) VALUES ('of-before', $1)`, [KEY]);
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await rm(folder, { recursive: true });
  });

  /** What it prints. */
  const cli = async ({ url, token }: Replica, ...words: string[]): Promise<string[]> => {
    const file = join(folder, 'token');
    await writeFile(file, token, { mode: 0o600 });
    const printed: string[] = [];
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => printed.push(String(line).trim()) > 0);
    try {
      await vimCommand(surroundings()).parseAsync(['host-key', ...words, '--url', url, '--token-file', file], { from: 'user' });
    } finally {
      write.mockRestore();
    }
    return printed;
  };

  it('lists whose machine it is, its fingerprint, and who pinned it when; to admins of the project alone', async () => {
    const [bob, eve, anna] = replicas as [Replica, Replica, Replica];
    const [known, old] = await cli(anna, 'list');
    const id = path.split('/').at(-1) ?? '';
    for (const part of [
      vnfc.resourceId,
      vnfc.id,
      id,
      'SHA256:ZkAslGjFiUHdGf/WUL8rQvkib4PTvQatUV0OUQSncCA (ssh-ed25519)',
      'by k8s-mgmt in operation',
    ])
      expect(known).toContain(part);
    expect(old).toMatch(/^of-before .* of no known VNF instance {2}pinned \d{4}-[\dT:.-]+Z$/);
    expect(await cli(anna, 'list', '--vnf', id)).toEqual([known]);
    expect(await cli(eve, 'list')).toEqual([]);
    await expect(cli(bob, 'list')).rejects.toThrow(/needs the role admin/);
    expect((await anna.api.get('/windlass/v1/host_keys?vnfInstanceId=x')).status).toBe(400);
  });

  it('removes one, once, with who did it in the trail; another project’s and a reader’s word count for nothing', async () => {
    const [bob, eve, anna] = replicas as [Replica, Replica, Replica];
    await expect(cli(eve, 'remove', vnfc.resourceId)).rejects.toThrow(/no host key is pinned/);
    await expect(cli(eve, 'remove', 'of-before')).rejects.toThrow(/no host key is pinned/);
    await expect(cli(bob, 'remove', vnfc.resourceId)).rejects.toThrow(/needs the role admin/);
    expect(await pinned()).toHaveLength(2);
    expect(await cli(anna, 'remove', vnfc.resourceId)).toEqual([]);
    await expect(cli(anna, 'remove', vnfc.resourceId)).rejects.toThrow(/no host key is pinned/);
    expect(await pinned()).toEqual(['of-before']);
    const entries = await system.database.query<JsonObject[]>(
      `SELECT actor, status FROM lcm.audit_trail WHERE resource = $1 ORDER BY id`,
      [`/windlass/v1/host_keys/${vnfc.resourceId}`],
    );
    expect(entries).toEqual([
      { actor: 'eve', status: 404 },
      { actor: 'bob', status: 403 },
      { actor: 'anna', status: 204 },
      { actor: 'anna', status: 404 },
    ]);
  });
});
