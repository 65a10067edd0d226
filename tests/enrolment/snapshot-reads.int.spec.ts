import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { readSnapshotContract } from '@windlass/messaging';
import { caFingerprint, SNAPSHOT_PART_BYTES } from '@windlass/persistence';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKubernetesApi, type KubernetesApi } from './support/kubernetes-api.js';
import { VimScene, type ClaimedStep, type Worker } from './support/vim-scene.js';

const SECRET = `-----BEGIN PRIVATE KEY----- ${randomUUID()}`;

let scene: VimScene;
let api: KubernetesApi;
let k8s: Worker;
let ca: string;

beforeAll(async () => {
  scene = await VimScene.start();
  [api, k8s] = await Promise.all([startKubernetesApi(), scene.worker()]);
  ca = caFingerprint(api.ca) ?? '';
});
afterAll(async () => {
  await api.close();
  await scene.close();
});

/** Keeps an archive, as the driver's step does. @param of the CA that is said with it */
async function keep(claim: ClaimedStep, content: Buffer, of: string | undefined = ca): Promise<string> {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const said = { sha256, size: content.length, master: '10.10.0.24', ...(of === '' ? {} : { ca: of }) };
  let { state } = await k8s.clusters.keepSnapshot(claim, said);
  for (let number = 0; state === 'awaited'; number++) {
    const bytes = content.subarray(number * SNAPSHOT_PART_BYTES, (number + 1) * SNAPSHOT_PART_BYTES);
    ({ state } = await k8s.clusters.keepSnapshot(claim, said, { number, bytes }));
  }
  return sha256;
}

async function next({ vnfInstanceId }: ClaimedStep, operation: string, action = 'fetch-snapshot'): Promise<ClaimedStep> {
  await scene.rows(`UPDATE lcm.vnf_lcm_op_occ SET operation_state = 'COMPLETED' WHERE vnf_instance_id = $1`, [vnfInstanceId]);
  const claim = await scene.claimed(k8s, { vnfInstanceId, operation });
  await scene.rows('UPDATE lcm.step SET action = $2 WHERE operation_id = $1', [claim.operationId, action]);
  return claim;
}

/** An instance with a registered cluster and these archives, and a claim of a step that heals it. */
async function healing(...archives: [Buffer, string?][]): Promise<ClaimedStep> {
  const made = await scene.claimed(k8s);
  const auth_cred = { bearer_token: api.token, ssl_ca_cert: api.ca };
  await k8s.clusters.register(made, { name: `of-${made.vnfInstanceId}`, description: '', auth_url: api.url, auth_cred });
  for (const [content, of] of archives) await keep(await next(made, 'SCALE'), content, of);
  return next(made, 'HEAL');
}

const archive = (bytes = SNAPSHOT_PART_BYTES + 100): Buffer => Buffer.alloc(bytes, `${SECRET} ${randomUUID()} `);

async function read(claim: ClaimedStep, by: Worker = k8s): Promise<Buffer> {
  const { sha256, size, bytes } = await by.clusters.readSnapshot(claim, { number: 0 });
  const parts = [bytes];
  for (let number = 1; number * SNAPSHOT_PART_BYTES < size; number++)
    parts.push((await by.clusters.readSnapshot(claim, { number, sha256 })).bytes);
  return Buffer.concat(parts);
}

const entriesOf = ({ operationId }: ClaimedStep): Promise<JsonObject[]> =>
  scene.rows(
    'SELECT actor, operation, resource, vnf_instance_id, detail FROM lcm.audit_trail WHERE operation_id = $1 AND operation = $2',
    [operationId, 'SNAPSHOT'],
  );

describe('a snapshot that a heal reads back', () => {
  it('is the newest of the cluster that is registered, as it was kept; the audit trail tells once that it was read', async () => {
    const [older, newest] = [archive(), archive()];
    const claim = await healing([older], [newest]);
    expect((await read(claim)).equals(newest)).toBe(true);
    expect((await read(claim)).equals(newest)).toBe(true);
    const sha256 = createHash('sha256').update(newest).digest('hex');
    expect(await entriesOf(claim)).toEqual([
      {
        actor: `k8s-mgmt ${k8s.enrolment.keys.public.id}`,
        operation: 'SNAPSHOT',
        resource: 'windlass.vim-claim.read-snapshot',
        vnf_instance_id: claim.vnfInstanceId,
        detail: { step: 'first', master: '10.10.0.24', sha256 },
      },
    ]);
  });

  it('goes on with the archive that was begun', async () => {
    const [older, newest] = [archive(), archive()];
    const claim = await healing([older], [newest]);
    const sha256 = createHash('sha256').update(older).digest('hex');
    const { bytes, takenAt } = await k8s.clusters.readSnapshot(claim, { number: 1, sha256 });
    expect(bytes.equals(older.subarray(SNAPSHOT_PART_BYTES))).toBe(true);
    expect(takenAt).toMatch(/^\d{4}-.*Z$/);
  });

  it.each<[string, [Buffer, string?][]]>([
    ['none is kept', []],
    ['the cluster can’t be made again of it', [[archive(), '']]],
    ['it is of an earlier life of the instance', [[archive(), 'f'.repeat(64)]]],
  ])('is none where %s', async (_why, archives) => {
    const claim = await healing(...archives);
    await expect(read(claim)).rejects.toMatchObject({ code: 'snapshot.none', status: 404 });
    expect(await entriesOf(claim)).toEqual([]);
  });

  it('is none while the cluster is not registered', async () => {
    const claim = await healing([archive()]);
    await k8s.clusters.remove(claim);
    await expect(read(claim)).rejects.toMatchObject({ code: 'snapshot.none' });
  });

  it('has no part beyond its end', async () => {
    const claim = await healing([archive()]);
    await expect(k8s.clusters.readSnapshot(claim, { number: 2 })).rejects.toMatchObject({ code: 'snapshot.no-such-part' });
  });
});

describe('who reads no snapshot', () => {
  it('is a step of another operation than a heal, and one whose claim was lost', async () => {
    const healer = await healing([archive()]);
    const scaler = await next(healer, 'SCALE');
    await expect(read(scaler)).rejects.toMatchObject({ code: 'snapshot.no-heal', status: 403 });
    const claim = await next(scaler, 'HEAL');
    await scene.rows(`UPDATE lcm.step SET epoch = epoch + 1 WHERE operation_id = $1`, [claim.operationId]);
    await expect(read(claim)).rejects.toMatchObject({ code: 'claim.not-held' });
    expect([...(await entriesOf(scaler)), ...(await entriesOf(claim))]).toEqual([]);
  });

  it('is a step of the heal that does something else', async () => {
    const claim = await next(await healing([archive()]), 'HEAL', 'join-worker');
    await expect(read(claim)).rejects.toMatchObject({ code: 'snapshot.no-reader', status: 403 });
    expect(await entriesOf(claim)).toEqual([]);
  });

  it('is a heal of another instance', async () => {
    await healing([archive()]);
    await expect(read(await healing())).rejects.toMatchObject({ code: 'snapshot.none' });
  });

  it('is whoever listens: a part is in no message in the clear, and opens for the claim’s worker, archive and place alone', async () => {
    const claim = await healing([archive()]);
    const heard = scene.bench.heard.length;
    const asked = k8s.coordinator.proven(claim, 'vim-claim.read-snapshot.request', { number: 0 });
    const { sealed, sha256 } = await k8s.client.request(readSnapshotContract, asked);
    for (const form of [SECRET, ...[0, 1, 2].map((at) => Buffer.from(SECRET.slice(at, at + 42)).toString('base64'))])
      expect(scene.bench.heard.slice(heard).some((message) => message.includes(form))).toBe(false);
    const aad = (number: number, of = sha256): string =>
      `windlass vim-claim read-snapshot ${claim.operationId} ${claim.stepId} ${claim.epoch} ${of} ${number}`;
    expect(k8s.coordinator.opened(sealed, aad(0)).toString('utf8')).toContain(SECRET);
    const other = await scene.worker();
    expect(() => other.coordinator.opened(sealed, aad(0))).toThrow(/is sealed to key/);
    expect(() => k8s.coordinator.opened(sealed, aad(1))).toThrow(/does not open/);
    expect(() => k8s.coordinator.opened(sealed, aad(0, randomBytes(32).toString('hex')))).toThrow(/does not open/);
  });
});
