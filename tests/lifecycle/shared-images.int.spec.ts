import { randomUUID } from 'node:crypto';
import { bytes, millis, Secret, seconds, waitUntil, wholeGibibytes, wholeMebibytes, type JsonObject } from '@windlass/foundation';
import { OpenStack } from '@windlass/openstack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

let system: System;
let vnfdId: unknown;
let request: JsonObject;
let openStack: OpenStack;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
  request = await sampleRequest('instantiate-simple-vm.json', 'net0');
  const { user: username, password, project } = system.emulator.tenant;
  const credentials = { kind: 'password' as const, username, password: new Secret(password), project };
  openStack = OpenStack.open({ authUrl: system.emulator.url, region: 'RegionOne', credentials });
});

afterAll(async () => {
  openStack.close();
  await system.close();
});

const uploads = (): number => system.emulator.count('PUT', /\/images\/[^/]+\/file/);
const shared = () => openStack.glance.findImages({ tag: 'windlass-shared-image' });
const done = async (url: string, task: string, body: JsonObject): Promise<void> => {
  const op = await atRest(system.api, await system.api.post(`${url}/${task}`, body), seconds(120));
  expect(op, JSON.stringify(op.error)).toMatchObject({ operationState: 'COMPLETED' });
};
const terminated = (url: string): Promise<void> => done(url, 'terminate', { terminationType: 'FORCEFUL' });
const nothingShared = () =>
  waitUntil(
    async () => {
      const rows = await system.database.query<unknown[]>('SELECT FROM lcm.shared_image');
      return rows.length === 0 && (await shared()).length === 0 ? true : undefined;
    },
    { for: 'the clean-up of the shared image', within: seconds(60), every: millis(50) },
  );
const idOf = (url: string): string => url.split('/').at(-1) ?? '';

/** Seconds on a quiet machine; each test is several operations. */
const WITHIN = 300_000;

describe('two VNFs of one package', () => {
  it(
    'that two coordinators make together upload its image once, and it goes with the last of them',
    async () => {
      const { api, database, emulator } = system;
      const before = uploads();
      const second = await system.joinCoordinator('c-second');
      try {
        const [one, other] = [await createVnf(api, vnfdId), await createVnf(api, vnfdId)];
        // Long enough for the second to come to it, too.
        emulator.faults.add({ kind: 'hang', method: 'PUT', path: '/file$', forMs: 1_500, times: 1 });
        await Promise.all([done(one, 'instantiate', request), done(other, 'instantiate', request)]);
        expect(uploads() - before).toBe(1);
        // Who waited for the upload has looked, and not come to its place, where the next would wait for it again.
        const worked: unknown[] = await database.query(
          "SELECT FROM lcm.step WHERE action = 'share-image' AND waiting_epoch IS DISTINCT FROM epoch",
        );
        expect(worked).toHaveLength(1);
        const [image, ...more] = await shared();
        expect(more).toEqual([]);
        const servers = emulator.inventory().flatMap((project) => project.servers);
        expect(servers).toHaveLength(2);
        // What an older release's termination would delete.
        const kept: unknown = await database.query(
          "SELECT instantiated->'images' AS images FROM lcm.vnf_instance WHERE id = ANY($1)",
          [[idOf(one), idOf(other)]],
        );
        expect(kept).toEqual([{ images: [] }, { images: [] }]);
        await done(one, 'heal', {});
        await terminated(one);
        expect(await shared()).toMatchObject([{ id: image?.id, status: 'active' }]);
        expect(uploads() - before).toBe(1);
        await terminated(other);
        await nothingShared();
      } finally {
        await second.stop();
      }
    },
    WITHIN,
  );

  it(
    'one after the other upload it once; what was deleted by hand meanwhile is uploaded anew',
    async () => {
      const { api } = system;
      const before = uploads();
      const [one, other, third] = [await createVnf(api, vnfdId), await createVnf(api, vnfdId), await createVnf(api, vnfdId)];
      await done(one, 'instantiate', request);
      await done(other, 'instantiate', request);
      expect(uploads() - before).toBe(1);
      for (const { id } of await shared()) await openStack.glance.deleteImage(id);
      await done(third, 'instantiate', request);
      expect(uploads() - before).toBe(2);
      for (const url of [one, other, third]) await terminated(url);
      await nothingShared();
    },
    WITHIN,
  );

  it(
    'of which one is terminated while the other’s stack is being made keep the image for the other',
    async () => {
      const { api, emulator } = system;
      const before = uploads();
      const [one, other] = [await createVnf(api, vnfdId), await createVnf(api, vnfdId)];
      await done(one, 'instantiate', request);
      emulator.faults.add({ kind: 'slow-stack', delayMs: 2_000, stackName: `vnf-${idOf(other)}`, times: 1 });
      const asked = emulator.count('POST', /\/stacks$/);
      const accepted = await api.post(`${other}/instantiate`, request);
      await waitUntil(() => Promise.resolve(emulator.count('POST', /\/stacks$/) > asked || undefined), {
        for: 'the other’s stack to be begun',
        within: seconds(60),
        every: millis(20),
      });
      await terminated(one);
      expect(await atRest(api, accepted, seconds(120))).toMatchObject({ operationState: 'COMPLETED' });
      expect(await shared()).toMatchObject([{ status: 'active' }]);
      await done(other, 'heal', {});
      expect(uploads() - before).toBe(1);
      await terminated(other);
      await nothingShared();
    },
    WITHIN,
  );

  it(
    'share what a failed instantiation uploaded, which leaves it to the other when it is failed and deleted',
    async () => {
      const { api, emulator } = system;
      const [one, other] = [await createVnf(api, vnfdId), await createVnf(api, vnfdId)];
      emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', action: 'CREATE', reason: 'No valid host.', times: 1 });
      const failed = await atRest(api, await api.post(`${one}/instantiate`, request), seconds(120));
      expect(failed).toMatchObject({ operationState: 'FAILED_TEMP' });
      await done(other, 'instantiate', request);
      await api.post(`/vnflcm/v1/vnf_lcm_op_occs/${String(failed.id)}/fail`);
      expect((await api.delete(one)).status).toBe(204);
      await waitUntil(
        async () => {
          const rows = await system.database.query<unknown[]>('SELECT FROM lcm.image_reference');
          return rows.length === 1 ? true : undefined;
        },
        { for: 'the clean-up of what the failed one left', within: seconds(60), every: millis(50) },
      );
      expect(await shared()).toMatchObject([{ status: 'active' }]);
      await terminated(other);
      await nothingShared();
    },
    WITHIN,
  );

  it(
    'terminated by an older release, which knows no references, leave the image to the next coordinator that starts',
    async () => {
      const { api, database } = system;
      const one = await createVnf(api, vnfdId);
      await done(one, 'instantiate', request);
      // That release neither drops references nor deletes what is not in the instance's own list.
      const kept: { shared_image_id: string }[] = await database.query('SELECT shared_image_id FROM lcm.image_reference');
      await database.query('DELETE FROM lcm.image_reference');
      await terminated(one);
      expect(await shared()).toHaveLength(1);
      await database.query('INSERT INTO lcm.image_reference (vnf_instance_id, shared_image_id) VALUES ($1, $2)', [
        idOf(one),
        kept[0]?.shared_image_id,
      ]);
      const next = await system.joinCoordinator('c-next');
      await nothingShared().finally(() => next.stop());
    },
    WITHIN,
  );

  it(
    'that are gone for as long as their image is kept leave it to no one: a sweep has it deleted',
    async () => {
      const { api, database } = system;
      const one = await createVnf(api, vnfdId);
      await done(one, 'instantiate', request);
      // As a coordinator leaves it that keeps images for a day.
      await database.query('DELETE FROM lcm.image_reference');
      await terminated(one);
      await database.query("UPDATE lcm.shared_image SET unused_since = clock_timestamp() - interval '1 day'");
      expect(await shared()).toHaveLength(1);
      const next = await system.joinCoordinator('c-sweeps');
      await nothingShared().finally(() => next.stop());
    },
    WITHIN,
  );

  it(
    'have an orphan with our tag removed by an audit that mends, and keep the image that is theirs',
    async () => {
      const { api } = system;
      const one = await createVnf(api, vnfdId);
      await done(one, 'instantiate', request);
      const [theirs] = await shared();
      const orphan = {
        name: 'orphan',
        diskFormat: 'raw',
        containerFormat: 'bare',
        minDiskGiB: wholeGibibytes(bytes(0)),
        minRamMiB: wholeMebibytes(bytes(0)),
      };
      await openStack.glance.createImage({
        id: randomUUID(),
        ...orphan,
        tags: theirs?.tags.filter((tag) => !tag.startsWith('windlass-image-')) ?? [],
      });
      expect(await shared()).toHaveLength(2);
      expect((await api.post('/windlass/v1/audits', { fix: true })).status).toBe(202);
      await waitUntil(async () => ((await shared()).length === 1 ? true : undefined), {
        for: 'the orphan to be removed',
        within: seconds(60),
        every: millis(50),
      });
      expect(await shared()).toMatchObject([{ id: theirs?.id }]);
      await terminated(one);
      await nothingShared();
    },
    WITHIN,
  );
});
