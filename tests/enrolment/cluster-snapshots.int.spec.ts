import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { CoreKeys, keepSnapshotContract, publicKey, seal, snapshotPartAad, VIM_REGISTRY_KEYS } from '@windlass/messaging';
import { PgClusterSnapshots, SNAPSHOT_PART_BYTES, Vault, type ClusterSnapshotRecord } from '@windlass/persistence';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VimScene, type ClaimedStep, type Worker } from './support/vim-scene.js';

const LIMITS = { kept: 2, mostBytes: 3 * SNAPSHOT_PART_BYTES };

let scene: VimScene;
let k8s: Worker;
let kept: PgClusterSnapshots;

beforeAll(async () => {
  scene = await VimScene.start({ snapshots: LIMITS });
  k8s = await scene.worker();
  kept = new PgClusterSnapshots(scene.bench.database, new Vault(scene.bench.masterKeys));
});
afterAll(() => scene.close());

/** An archive of so many bytes, and what is said of it. */
function archive(bytes = SNAPSHOT_PART_BYTES + 100) {
  const content = randomBytes(bytes);
  return { content, said: { size: bytes, sha256: createHash('sha256').update(content).digest('hex'), master: '10.10.0.24' } };
}

const partOf = (content: Buffer, number: number) => ({
  number,
  bytes: content.subarray(number * SNAPSHOT_PART_BYTES, (number + 1) * SNAPSHOT_PART_BYTES),
});

/** As the driver's step does it. */
async function bring(claim: ClaimedStep, { content, said }: ReturnType<typeof archive>) {
  let answer = await k8s.clusters.keepSnapshot(claim, said);
  for (let number = 0; answer.state === 'awaited'; number++)
    answer = await k8s.clusters.keepSnapshot(claim, said, partOf(content, number));
  return answer;
}

async function read(snapshot: Pick<ClusterSnapshotRecord, 'id' | 'size'>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of kept.read(snapshot)) parts.push(part);
  return Buffer.concat(parts);
}

/** The instance's operations end one after another. */
async function nextOperation({ vnfInstanceId }: ClaimedStep): Promise<ClaimedStep> {
  await scene.rows(`UPDATE lcm.vnf_lcm_op_occ SET operation_state = 'COMPLETED' WHERE vnf_instance_id = $1`, [vnfInstanceId]);
  return scene.claimed(k8s, { vnfInstanceId });
}

describe('a snapshot that a step brings', () => {
  it('is there when its last part has come, as it was, and is an entry of the audit trail', async () => {
    const claim = await scene.claimed(k8s);
    const brought = archive();
    expect(await k8s.clusters.keepSnapshot(claim, brought.said)).toEqual({ state: 'awaited', ...LIMITS });
    await k8s.clusters.keepSnapshot(claim, brought.said, partOf(brought.content, 0));
    expect(await kept.list(claim.vnfInstanceId)).toEqual([]);
    expect(await k8s.clusters.keepSnapshot(claim, brought.said, partOf(brought.content, 1))).toMatchObject({ state: 'kept' });
    const [snapshot, ...others] = await kept.list(claim.vnfInstanceId);
    expect(others).toEqual([]);
    expect(snapshot).toMatchObject({ ...brought.said, operationId: claim.operationId });
    expect((await read(snapshot!)).equals(brought.content)).toBe(true);
    const entries = await scene.rows(
      'SELECT actor, operation, vnf_instance_id, detail FROM lcm.audit_trail WHERE operation_id = $1',
      [claim.operationId],
    );
    expect(entries).toEqual([
      {
        actor: `k8s-mgmt ${k8s.enrolment.keys.public.id}`,
        operation: 'SNAPSHOT',
        vnf_instance_id: claim.vnfInstanceId,
        detail: { step: 'first', master: '10.10.0.24', sha256: brought.said.sha256 },
      },
    ]);
  });

  it('is answered as kept where the step is taken over after that, and kept once', async () => {
    const claim = await scene.claimed(k8s);
    const brought = archive();
    await bring(claim, brought);
    expect(await k8s.clusters.keepSnapshot(claim, brought.said)).toMatchObject({ state: 'kept' });
    expect(await bring(claim, brought)).toMatchObject({ state: 'kept' });
    expect(await kept.list(claim.vnfInstanceId)).toHaveLength(1);
  });

  it('begins anew where its worker died half-way, and nothing is left of the half', async () => {
    const claim = await scene.claimed(k8s);
    const [half, whole] = [archive(), archive()];
    await k8s.clusters.keepSnapshot(claim, half.said);
    await k8s.clusters.keepSnapshot(claim, half.said, partOf(half.content, 0));
    await bring(claim, whole);
    expect(await kept.list(claim.vnfInstanceId)).toMatchObject([whole.said]);
    const rows = await scene.rows('SELECT id FROM lcm.cluster_snapshot WHERE vnf_instance_id = $1', [claim.vnfInstanceId]);
    expect(rows).toHaveLength(1);
  });

  it('is not kept where what comes is not what was announced: other bytes, another length, a part beyond the end, none announced', async () => {
    const claim = await scene.claimed(k8s);
    const { content, said } = archive();
    const changed = Buffer.from(content);
    changed[7] = changed[7]! ^ 1;
    await expect(bring(claim, { content: changed, said })).rejects.toMatchObject({ code: 'snapshot.invalid', status: 400 });
    await k8s.clusters.keepSnapshot(claim, said);
    for (const part of [
      { number: 0, bytes: content.subarray(1, SNAPSHOT_PART_BYTES) },
      { number: 1, bytes: content.subarray(0, SNAPSHOT_PART_BYTES) },
      { number: 2, bytes: content.subarray(0, 100) },
    ])
      await expect(k8s.clusters.keepSnapshot(claim, said, part)).rejects.toMatchObject({ code: 'snapshot.invalid' });
    const other = archive();
    await expect(k8s.clusters.keepSnapshot(claim, other.said, partOf(other.content, 0))).rejects.toMatchObject({
      code: 'snapshot.not-announced',
      status: 409,
    });
    expect(await kept.list(claim.vnfInstanceId)).toEqual([]);
  });

  it('is refused above the limit before anything of it is kept, and the limits are told', async () => {
    const claim = await scene.claimed(k8s);
    expect(await bring(claim, archive(LIMITS.mostBytes + 1))).toEqual({ state: 'refused', ...LIMITS });
    expect(await scene.rows('SELECT id FROM lcm.cluster_snapshot WHERE vnf_instance_id = $1', [claim.vnfInstanceId])).toEqual([]);
    expect(await bring(claim, archive(LIMITS.mostBytes))).toMatchObject({ state: 'kept' });
  });

  it('takes the place of the oldest, of its own instance alone', async () => {
    const [claim, other] = [await scene.claimed(k8s), await scene.claimed(k8s)];
    await bring(other, archive(10));
    const brought = [archive(10), archive(20), archive(30)];
    for (const each of brought) await bring(await nextOperation(claim), each);
    expect(await kept.list(claim.vnfInstanceId)).toMatchObject([{ size: 30 }, { size: 20 }]);
    expect(await kept.list(other.vnfInstanceId)).toHaveLength(1);
    const parts = await scene.rows(
      `SELECT 1 FROM lcm.cluster_snapshot_part AS p LEFT JOIN lcm.cluster_snapshot AS s ON s.id = p.snapshot_id WHERE s.id IS NULL`,
    );
    expect(parts).toEqual([]);
  });
});

describe('a snapshot that the schedule takes', () => {
  const ended = ({ vnfInstanceId }: ClaimedStep, state = 'COMPLETED') =>
    scene.rows(`UPDATE lcm.vnf_lcm_op_occ SET operation_state = $2 WHERE vnf_instance_id = $1`, [vnfInstanceId, state]);

  it('is kept of its instance alone, within the same bounds', async () => {
    const [claim, other] = [await scene.claimed(k8s), await scene.claimed(k8s)];
    await bring(claim, archive(10));
    for (const size of [20, 30]) {
      await ended(claim);
      await bring(await scene.claimedBySchedule(k8s, claim.vnfInstanceId), archive(size));
    }
    expect(await kept.list(claim.vnfInstanceId)).toMatchObject([{ size: 30 }, { size: 20 }]);
    expect(await kept.list(other.vnfInstanceId)).toEqual([]);
  });

  it('is turned away as soon as an operation of the instance is in flight, and when it is no more, half-way too', async () => {
    const claim = await scene.claimed(k8s);
    await ended(claim);
    const bySchedule = await scene.claimedBySchedule(k8s, claim.vnfInstanceId);
    const { content, said } = archive();
    expect(await k8s.clusters.keepSnapshot(bySchedule, said)).toMatchObject({ state: 'awaited' });
    for (const state of ['STARTING', 'PROCESSING', 'FAILED_TEMP']) {
      await ended(claim, state);
      await expect(k8s.clusters.keepSnapshot(bySchedule, said, partOf(content, 0))).rejects.toMatchObject({
        code: 'claim.not-held',
      });
    }
    await ended(claim, 'FAILED');
    expect(await k8s.clusters.keepSnapshot(bySchedule, said, partOf(content, 0))).toMatchObject({ state: 'awaited' });
    await scene.rows(`UPDATE lcm.vnf_instance SET instantiation_state = 'NOT_INSTANTIATED' WHERE id = $1`, [claim.vnfInstanceId]);
    await expect(k8s.clusters.keepSnapshot(bySchedule, said)).rejects.toMatchObject({ code: 'claim.not-held' });
    expect(await kept.list(claim.vnfInstanceId)).toEqual([]);
  });

  it('is the only internal saga that has a claim on anything', async () => {
    const claim = await scene.claimed(k8s);
    await ended(claim);
    for (const kind of ['AUDIT', 'CLEAN_UP', 'REFRESH']) {
      const other = await scene.claimedBySchedule(k8s, claim.vnfInstanceId);
      await scene.rows('UPDATE lcm.operation SET kind = $2 WHERE id = $1', [other.operationId, kind]);
      await expect(bring(other, archive(10)), kind).rejects.toMatchObject({ code: 'claim.not-held' });
    }
  });
});

describe('what is in a snapshot', () => {
  it('is in no column and no message in the clear, and opens in its own place alone', async () => {
    const claim = await scene.claimed(k8s);
    const { said } = archive();
    const secret = `-----BEGIN PRIVATE KEY----- ${randomUUID()}`;
    const content = Buffer.alloc(said.size, secret);
    const sha256 = createHash('sha256').update(content).digest('hex');
    await bring(claim, { content, said: { ...said, sha256 } });
    const heard = scene.bench.heard.filter((message) => message.startsWith('windlass.vim-claim.keep-snapshot '));
    expect(heard.length).toBeGreaterThan(2);
    const rows = await scene.rows<{ id: string; number: number; bytes: Buffer }>(
      `SELECT s.id, p.number, p.bytes FROM lcm.cluster_snapshot_part AS p JOIN lcm.cluster_snapshot AS s ON s.id = p.snapshot_id
       WHERE s.vnf_instance_id = $1 ORDER BY p.number`,
      [claim.vnfInstanceId],
    );
    expect(rows).toHaveLength(2);
    const texts = [...heard, ...rows.map(({ bytes }) => bytes.toString('latin1'))];
    // In base64 the text begins at each of three places.
    for (const form of [secret, ...[0, 1, 2].map((at) => Buffer.from(secret.slice(at, at + 45)).toString('base64'))])
      expect(texts.some((text) => text.includes(form))).toBe(false);
    // Parts that change places: whoever writes in the table makes no other archive of them.
    const [first, second] = rows as [(typeof rows)[0], (typeof rows)[0]];
    await scene.rows('UPDATE lcm.cluster_snapshot_part SET bytes = $3 WHERE snapshot_id = $1 AND number = $2', [
      first.id,
      0,
      second.bytes,
    ]);
    await expect(read({ id: first.id, size: content.length })).rejects.toThrow(/does not open/);
  });

  it('is refused in a box of another claim, archive or place', async () => {
    const [claim, other] = [await scene.claimed(k8s), await scene.claimed(k8s)];
    const { content, said } = archive(100);
    await k8s.clusters.keepSnapshot(claim, said);
    const key = publicKey(new CoreKeys(scene.bench.masterKeys, VIM_REGISTRY_KEYS).publicX);
    for (const aad of [
      snapshotPartAad(other, said.sha256, 0),
      snapshotPartAad(claim, 'f'.repeat(64), 0),
      snapshotPartAad(claim, said.sha256, 1),
    ]) {
      const part = { number: 0, sealed: seal(key, content, aad) };
      const asked = k8s.coordinator.proven(claim, 'vim-claim.keep-snapshot.request', { ...said, part });
      await expect(k8s.client.request(keepSnapshotContract, asked)).rejects.toThrow(/does not open/);
    }
  });
});

describe('snapshots of a cluster that is no more', () => {
  const left = ({ vnfInstanceId }: ClaimedStep) =>
    scene.rows('SELECT id FROM lcm.cluster_snapshot WHERE vnf_instance_id = $1', [vnfInstanceId]);

  it.each([
    ['is terminated', `UPDATE lcm.vnf_instance SET instantiation_state = 'NOT_INSTANTIATED', instantiated = NULL WHERE id = $1`],
    ['is deleted', 'DELETE FROM lcm.vnf_instance WHERE id = $1'],
    [
      'was never whole: its instantiation is rolled back',
      `UPDATE lcm.vnf_lcm_op_occ SET operation_state = 'ROLLED_BACK' WHERE vnf_instance_id = $1`,
    ],
    [
      'was never whole: its instantiation is failed',
      `UPDATE lcm.vnf_lcm_op_occ SET operation_state = 'FAILED' WHERE vnf_instance_id = $1`,
    ],
  ])('go with the instance that %s', async (_how, sql) => {
    const [claim, other] = [await scene.claimed(k8s), await scene.claimed(k8s)];
    await Promise.all([bring(claim, archive(10)), bring(other, archive(10))]);
    await scene.rows(sql, [claim.vnfInstanceId]);
    expect(await left(claim)).toEqual([]);
    expect(await left(other)).toHaveLength(1);
  });

  it('stay while an instance changes otherwise', async () => {
    const claim = await scene.claimed(k8s);
    await bring(claim, archive(10));
    await scene.rows(`UPDATE lcm.vnf_instance SET vnf_instance_name = 'another' WHERE id = $1`, [claim.vnfInstanceId]);
    await scene.rows(`UPDATE lcm.vnf_lcm_op_occ SET operation_state = 'COMPLETED' WHERE vnf_instance_id = $1`, [
      claim.vnfInstanceId,
    ]);
    expect(await left(claim)).toHaveLength(1);
  });
});
