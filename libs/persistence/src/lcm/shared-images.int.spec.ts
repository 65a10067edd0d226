import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { millis } from '@windlass/foundation';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase, migrate } from '../database.js';
import { Vault } from '../sealing/vault.js';
import { inSharedTransaction } from '../transaction.js';
import { PgLcmStore } from './pg-lcm-store.js';

let server: TestDatabase;
let database: DataSource;
let store: PgLcmStore;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 6 });
  await migrate(database);
  store = new PgLcmStore(database, new Vault([randomBytes(32)]));
});

beforeEach(() => database.query('TRUNCATE lcm.shared_image, lcm.image_reference'));

afterAll(async () => {
  await database.destroy();
  await server.close();
});

const vim = { vimId: randomUUID(), connectionId: 'c' };
const refer = (handle: unknown, vnfInstanceId: string, keys = ['k'], id = randomUUID()) =>
  store.referToImages(
    handle,
    { tenant: 't', vnfInstanceId, vim },
    keys.map((key, at) => ({ key, id: at === 0 ? id : randomUUID(), name: 'ours' })),
  );
const states = (): Promise<{ id: string; state: string }[]> =>
  database.query('SELECT id, state FROM lcm.shared_image ORDER BY entered_at');

/** A transaction that stands open until it is told to end. */
function open<T>(work: (handle: unknown) => Promise<T>): { done: Promise<T>; worked: Promise<void>; end: () => void } {
  let end = (): void => undefined;
  let tell = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const worked = new Promise<void>((resolve) => (tell = resolve));
  const done = store.transact(async (handle) => {
    const answer = await work(handle);
    tell();
    await ended;
    return answer;
  });
  return { done, worked, end };
}

describe('references to shared images in PostgreSQL', () => {
  it('of two that come together, neither committed, are to one image', async () => {
    const one = open((handle) => refer(handle, randomUUID()));
    await one.worked;
    const other = store.transact((handle) => refer(handle, randomUUID()));
    one.end();
    expect(await other).toEqual(await one.done);
    expect(await states()).toHaveLength(1);
  });

  it('of one that comes to an image that is there wait for nobody’s commit', async () => {
    const before = await store.transact((handle) => refer(handle, randomUUID()));
    const one = open((handle) => refer(handle, randomUUID()));
    await one.worked;
    expect(await store.transact((handle) => refer(handle, randomUUID()))).toEqual(before);
    one.end();
    expect(await one.done).toEqual(before);
  });

  it('of one that comes while the last is dropped, uncommitted, is to another image: never to one that is being deleted', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const { k: old } = await store.transact((handle) => refer(handle, first));
    const dropping = open((handle) => store.dropImageReferences(handle, first));
    await dropping.worked;
    const newcomer = store.transact((handle) => refer(handle, second));
    dropping.end();
    expect(await dropping.done).toEqual([old]);
    const { k: made } = await newcomer;
    expect(made).not.toBe(old);
    expect(await states()).toEqual([
      { id: old, state: 'DELETING' },
      { id: made, state: 'SHARED' },
    ]);
    await store.transact((handle) => store.forgetSharedImages(handle, [old ?? '', made ?? '']));
    expect(await states()).toEqual([{ id: made, state: 'SHARED' }]);
  });

  it('of one that comes first, uncommitted, keeps the image from him who drops what was the last', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const before = await store.transact((handle) => refer(handle, first));
    const coming = open((handle) => refer(handle, second));
    await coming.worked;
    const dropped = store.transact((handle) => store.dropImageReferences(handle, first));
    coming.end();
    expect(await coming.done).toEqual(before);
    expect(await dropped).toEqual([]);
    expect(await states()).toMatchObject([{ state: 'SHARED' }]);
    expect(await store.transact((handle) => store.dropImageReferences(handle, second))).toEqual([before.k]);
    expect(await store.transact((handle) => store.dropImageReferences(handle, second))).toEqual([]);
  });

  it('of those who never worked on it take the image off the record with the last of them, and leave nothing to delete', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    for (const id of [first, second]) await store.transact((handle) => refer(handle, id));
    expect(await store.transact((handle) => store.dropImageReferences(handle, first, true))).toEqual([]);
    expect(await states()).toMatchObject([{ state: 'SHARED' }]);
    expect(await store.transact((handle) => store.dropImageReferences(handle, second, true))).toEqual([]);
    expect(await states()).toEqual([]);
  });

  it('of one who may have worked on it, and is gone, have the image deleted in the VIM with the last, who did nothing', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const { k } = await store.transact((handle) => refer(handle, first));
    await store.transact((handle) => refer(handle, second));
    expect(await store.transact((handle) => store.dropImageReferences(handle, first))).toEqual([]);
    expect(await store.transact((handle) => store.dropImageReferences(handle, second, true))).toEqual([k]);
    expect(await states()).toMatchObject([{ state: 'DELETING' }]);
  });

  it('of one that shares the transaction of him who drops the last are to another image: the lock of its row keeps neither out', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    await store.transact((handle) => refer(handle, first));
    await inSharedTransaction<unknown>(database, () =>
      Promise.resolve([
        (manager) => store.dropImageReferences(manager, first),
        async (manager) => {
          // Between the other's statements, not before them.
          await manager.query('SELECT 1');
          return refer(manager, second);
        },
      ]),
    );
    const referred = `SELECT i.state FROM lcm.image_reference AS r JOIN lcm.shared_image AS i ON i.id = r.shared_image_id WHERE r.vnf_instance_id = $1`;
    expect(await database.query(referred, [second])).toEqual([{ state: 'SHARED' }]);
  });

  it('are taken and dropped side by side, whatever their order, without a deadlock', async () => {
    const instances = Array.from({ length: 6 }, () => randomUUID());
    const keys = ['a', 'b', 'c'];
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        instances.map((id, at) => store.transact((handle) => refer(handle, id, at % 2 === 0 ? keys : keys.toReversed()))),
      );
      const dropped = await Promise.all(instances.map((id) => store.transact((handle) => store.dropImageReferences(handle, id))));
      expect(dropped.flat()).toHaveLength(3);
    }
  });

  it('that were the last leave the image for as long as it is kept: whoever comes meanwhile has it, and nobody deletes it then', async () => {
    const keeping = (milliseconds: number) => new PgLcmStore(database, new Vault([randomBytes(32)]), millis(milliseconds));
    const hour = keeping(3_600_000);
    const [first, second] = [randomUUID(), randomUUID()];
    const { k: image } = await store.transact((handle) => refer(handle, first));
    expect(await hour.transact((handle) => hour.dropImageReferences(handle, first))).toEqual([]);
    expect(await states()).toEqual([{ id: image, state: 'SHARED' }]);
    expect(await hour.transact((handle) => hour.expireImages(handle, 10))).toEqual([]);
    expect(await store.transact((handle) => refer(handle, second))).toEqual({ k: image });
    expect(await store.transact((handle) => store.expireImages(handle, 10))).toEqual([]);
    await hour.transact((handle) => hour.dropImageReferences(handle, second));
    expect(await store.transact((handle) => store.expireImages(handle, 10))).toEqual([{ id: image, tenant: 't', vim }]);
    expect(await states()).toEqual([{ id: image, state: 'DELETING' }]);
    expect(await store.transact((handle) => store.unusedImages(handle, 10))).toEqual([{ id: image, tenant: 't', vim }]);
  });

  it('of one that comes while the image expires, uncommitted, is to another; and one that came first keeps it', async () => {
    const hour = new PgLcmStore(database, new Vault([randomBytes(32)]), millis(3_600_000));
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
    const { k: image } = await store.transact((handle) => refer(handle, first));
    await hour.transact((handle) => hour.dropImageReferences(handle, first));
    const coming = open((handle) => refer(handle, second));
    await coming.worked;
    // Locked by the newcomer, it is passed by.
    expect(await store.transact((handle) => store.expireImages(handle, 10))).toEqual([]);
    coming.end();
    expect(await coming.done).toEqual({ k: image });
    await hour.transact((handle) => hour.dropImageReferences(handle, second));
    const expiring = open((handle) => store.expireImages(handle, 10));
    await expiring.worked;
    const late = store.transact((handle) => refer(handle, third));
    expiring.end();
    expect(await expiring.done).toHaveLength(1);
    expect((await late).k).not.toBe(image);
  });

  it('of a release before, which does not take the time away, keep an image that was unused for long', async () => {
    const hour = new PgLcmStore(database, new Vault([randomBytes(32)]), millis(3_600_000));
    const [first, second] = [randomUUID(), randomUUID()];
    const { k: image } = await store.transact((handle) => refer(handle, first));
    await hour.transact((handle) => hour.dropImageReferences(handle, first));
    await database.query('INSERT INTO lcm.image_reference (vnf_instance_id, shared_image_id) VALUES ($1, $2)', [second, image]);
    expect(await store.transact((handle) => store.expireImages(handle, 10))).toEqual([]);
    expect(await states()).toEqual([{ id: image, state: 'SHARED' }]);
  });

  it('in a VIM that only a request describes leave no image, since nobody could delete it later', async () => {
    const hour = new PgLcmStore(database, new Vault([randomBytes(32)]), millis(3_600_000));
    const instance = randomUUID();
    const wanted = [{ key: 'k', id: randomUUID(), name: 'ours' }];
    const described = { tenant: 't', vnfInstanceId: instance, vim: { connectionId: 'c' } };
    const { k: image } = await store.transact((handle) => store.referToImages(handle, described, wanted));
    expect(await hour.transact((handle) => hour.dropImageReferences(handle, instance))).toEqual([image]);
  });

  it('of instances that an older release has terminated are strays, and an image without a clean-up is told again', async () => {
    const gone = randomUUID();
    const { k: image } = await store.transact((handle) => refer(handle, gone));
    expect(await store.transact((handle) => store.strayReferrers(handle, 10))).toEqual([gone]);
    expect(await store.transact((handle) => store.strayReferrers(handle, 10, randomUUID()))).toEqual([]);
    expect(await store.transact((handle) => store.unusedImages(handle, 10))).toEqual([]);
    await store.transact((handle) => store.dropImageReferences(handle, gone));
    expect(await store.transact((handle) => store.unusedImages(handle, 10))).toEqual([{ id: image, tenant: 't', vim }]);
    const subject = { vim: { choice: vim }, images: [], vims: [] };
    const cleanUp = { kind: 'CLEAN_UP' as const, tenant: 't', vnfInstanceId: null, vimId: null, subject };
    await store.transact((handle) => store.beginInternal(handle, cleanUp));
    expect(await store.transact((handle) => store.unusedImages(handle, 10))).toEqual([]);
  });
});
