import { waitUntil, millis, seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { R, storageKey } from '../kube/resources.js';
import { asRoot, newTestRegistry } from '../testing/test-registry.js';
import type { CacheEvent } from './object-cache.js';

describe('what a watch of the API sees', () => {
  it('is every change after its version, once and in order, over a broken store watch', async () => {
    const { cache, store, registry, make } = await newTestRegistry();
    const events: CacheEvent[] = [];
    cache.subscribe(storageKey(R.configmaps), cache.revision, (event) => events.push(event));
    await make(R.configmaps, 'a', { data: { n: '1' } });
    store.breakWatches();
    await make(R.configmaps, 'b');
    await registry.update(
      { type: R.configmaps, namespace: 'default', name: 'a' },
      undefined,
      (current) => ({ ...current, data: { n: '2' } }),
      asRoot,
    );
    await registry.delete(
      { type: R.configmaps, namespace: 'default', name: 'b' },
      { gracePeriodSeconds: undefined, preconditions: { uid: undefined, resourceVersion: undefined } },
      asRoot,
    );
    const seen = await waitUntil(
      () => Promise.resolve(events.length >= 4 ? events.map(({ type, object }) => `${type} ${object.metadata.name}`) : undefined),
      {
        for: 'four events',
        within: seconds(20),
        every: millis(5),
      },
    );
    expect(seen).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a', 'DELETED b']);
  });

  it('begins at a past version, and is refused with 410 before the first that is known', async () => {
    const { cache, make } = await newTestRegistry();
    const before = cache.revision;
    await make(R.configmaps, 'a');
    const events: CacheEvent[] = [];
    cache.subscribe(storageKey(R.configmaps), before, (event) => events.push(event));
    expect(events.map(({ object }) => object.metadata.name)).toEqual(['a']);
    expect(() => cache.subscribe(storageKey(R.configmaps), 0, () => undefined)).toThrow(expect.objectContaining({ code: 410 }));
  });
});
