import { randomUUID } from 'node:crypto';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { R } from '../kube/resources.js';
import { startTestApi } from '../testing/test-api.js';
import { storeContract } from '../testing/store-contract.js';
import { startTestEtcd, type TestEtcd } from '../testing/test-etcd.js';
import { EtcdClient } from './etcd-client.js';
import { EtcdStore } from './etcd-store.js';

let etcd: TestEtcd;
const stores: EtcdStore[] = [];

const newStore = (): EtcdStore => {
  const store = new EtcdStore(new EtcdClient(etcd.access, millis(1_500)));
  stores.push(store);
  return store;
};

beforeAll(async () => {
  etcd = await startTestEtcd();
});
afterAll(async () => {
  for (const store of stores) store.close();
  await etcd.stop();
});

describe('the store in a real etcd', () => {
  storeContract(() => ({ store: newStore(), prefix: `/test/${randomUUID()}/` }));

  it('says that etcd is not there, as something that may pass', async () => {
    const nobody = new EtcdStore(new EtcdClient({ ...etcd.access, endpoints: ['https://127.0.0.1:1'] }));
    await expect(nobody.get('/a')).rejects.toMatchObject({ code: 503 });
  });
});

describe('API servers on a real etcd', () => {
  it('share what they have, and tell each other', async () => {
    const one = await startTestApi({ store: newStore() });
    const other = await startTestApi({ store: newStore(), pki: one.pki });
    try {
      const made = await one.admin.create(R.configmaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'shared', namespace: 'default' },
      });
      const found = await other.admin.get(R.configmaps, { namespace: 'default', name: 'shared' });
      expect(found.metadata).toEqual(made.metadata);
      const late = { ...made, metadata: { ...made.metadata, labels: { from: 'one' } } };
      await other.admin.patch(
        R.configmaps,
        { namespace: 'default', name: 'shared' },
        { metadata: { labels: { from: 'other' } } },
      );
      await expect(one.admin.update(R.configmaps, late)).rejects.toMatchObject({ code: 409 });
    } finally {
      await Promise.all([one.close(), other.close()]);
    }
  });

  it('answer 503 while etcd is dead, and go on with all their objects when it is back', async () => {
    const api = await startTestApi({ store: newStore() });
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept', namespace: 'default' } };
    try {
      await api.admin.create(R.configmaps, object);
      await etcd.kill();
      await expect(api.admin.get(R.configmaps, { namespace: 'default', name: 'kept' })).rejects.toMatchObject({ code: 503 });
      await etcd.start();
      const names: string[] = [];
      const stop = new AbortController();
      const watching = api.admin.watch(
        '/api/v1/namespaces/default/configmaps?watch=true',
        (event) => names.push(event.object.metadata.name),
        stop.signal,
      );
      await waitUntil(() => Promise.resolve(names.includes('kept') ? true : undefined), {
        for: 'the watch to show what was kept',
        within: seconds(20),
        every: millis(20),
      });
      await api.admin.create(R.configmaps, { ...object, metadata: { name: 'new', namespace: 'default' } });
      await waitUntil(() => Promise.resolve(names.includes('new') ? true : undefined), {
        for: 'the watch to show what is new',
        within: seconds(20),
        every: millis(20),
      });
      stop.abort();
      await watching;
    } finally {
      await api.close();
    }
  });
});
