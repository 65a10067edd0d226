import { minutes } from '@windlass/foundation';
import type { ObjectRef } from '@windlass/lifecycle';
import { describe, expect, it } from 'vitest';
import { WaitingLooks } from '../looks/waiting-looks.js';
import { awaitObjects } from './await-objects.action.js';
import { deleteObjects } from './delete-objects.action.js';
import { replacePods } from './replace-pods.action.js';

const REF: ObjectRef = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'one' };

/** A cluster in which objects are there until they are deleted; with what was done in it, in order. */
function scene() {
  const order: string[] = [];
  const gone = new Set<string>();
  const metadata = { uid: 'u1', labels: {} };
  const cluster = {
    find: ({ kind, name }: ObjectRef) => {
      order.push('look');
      return Promise.resolve(gone.has(name) ? undefined : { kind, metadata: { ...metadata, name } });
    },
    list: () => Promise.resolve([]),
    delete: ({ name }: ObjectRef) => {
      order.push('delete');
      gone.add(name);
      return Promise.resolve();
    },
  };
  const contextOf = (input: object): never => {
    const run = { tenant: 't', signal: new AbortController().signal, progress: () => undefined };
    const onlyWaits = () => void order.push('only waits');
    const owner = { vim: { authUrl: 'https://cluster:6443' }, vnfInstanceId: 'a', deploymentTag: 'd' };
    const settings = { objectsWithin: minutes(1) };
    return { cluster, settings, looks: new WaitingLooks(), input: { ...owner, ...input }, run: { ...run, onlyWaits } } as never;
  };
  return { order, contextOf };
}

describe('on a cluster', () => {
  it('objects are waited for without a place: nothing is done', async () => {
    const { order, contextOf } = scene();
    await awaitObjects.apply(contextOf({ objects: [REF] }));
    expect(order).toEqual(['only waits', 'look']);
  });

  it('the end of pods is waited for without a place, once all deletions are asked for', async () => {
    const { order, contextOf } = scene();
    const pod = (name: string) => ({ namespace: 'default', name, uid: 'u1' });
    await replacePods.apply(contextOf({ pods: [pod('a'), pod('b')] }));
    expect(order).toEqual(['delete', 'delete', 'only waits', 'look', 'look']);
  });

  it('a deletion of objects row by row keeps its place: after each wait it deletes on', async () => {
    const { order, contextOf } = scene();
    await deleteObjects.apply(contextOf({ objects: [REF] }));
    expect(order).not.toContain('only waits');
  });
});
