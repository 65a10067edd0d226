import { waitUntil, millis, seconds } from '@windlass/foundation';
import { expect, it } from 'vitest';
import type { Store, StoreEvent } from '../store/store.js';

/** The contract of a store for the API server's objects. `fresh` gives a store, and a prefix for one test. */
export function storeContract(fresh: () => { store: Store; prefix: string }): void {
  const shown = (events: readonly StoreEvent[]): string[] =>
    events.map((event) =>
      event.type === 'put'
        ? `put ${event.record.key.split('/').at(-1) ?? ''}=${event.record.value}`
        : `delete ${event.key.split('/').at(-1) ?? ''}`,
    );

  const collected = (events: readonly StoreEvent[], count: number): Promise<string[]> =>
    waitUntil(
      (seen) => {
        seen(shown(events).join(', '));
        return Promise.resolve(events.length >= count ? shown(events) : undefined);
      },
      { for: `${count} events`, within: seconds(20), every: millis(5) },
    );

  it('writes only over the revision that the writer has seen', async () => {
    const { store, prefix } = fresh();
    const first = await store.put(`${prefix}a`, 'one', 0);
    expect(first).toBeGreaterThan(0);
    expect(await store.put(`${prefix}a`, 'other', 0)).toBeUndefined();
    const second = await store.put(`${prefix}a`, 'two', first ?? 0);
    expect(second).toBeGreaterThan(first ?? 0);
    expect(await store.put(`${prefix}a`, 'late', first ?? 0)).toBeUndefined();
    expect(await store.get(`${prefix}a`)).toEqual({ key: `${prefix}a`, value: 'two', revision: second });
  });

  it('deletes only the revision that the writer has seen', async () => {
    const { store, prefix } = fresh();
    const revision = (await store.put(`${prefix}a`, 'one', 0)) ?? 0;
    expect(await store.delete(`${prefix}a`, revision - 1)).toBeUndefined();
    expect(await store.delete(`${prefix}a`, revision)).toBeGreaterThan(revision);
    expect(await store.get(`${prefix}a`)).toBeUndefined();
    expect(await store.put(`${prefix}a`, 'again', 0)).toBeGreaterThan(revision);
  });

  it('lists a prefix in the order of keys, and says at which revision', async () => {
    const { store, prefix } = fresh();
    await store.put(`${prefix}b`, '2', 0);
    const last = await store.put(`${prefix}a`, '1 ünïcode', 0);
    const { records, revision } = await store.list(prefix);
    expect(records.map(({ value }) => value)).toEqual(['1 ünïcode', '2']);
    expect(revision).toBeGreaterThanOrEqual(last ?? 0);
  });

  it('tells a watcher what happened since a revision, and what happens from then on, once and in order', async () => {
    const { store, prefix } = fresh();
    const first = (await store.put(`${prefix}a`, '1', 0)) ?? 0;
    const second = (await store.put(`${prefix}a`, '2', first)) ?? 0;
    const events: StoreEvent[] = [];
    const watch = await store.watch(prefix, first, { onEvents: (more) => events.push(...more), onBreak: () => undefined });
    const third = (await store.put(`${prefix}b`, '3', 0)) ?? 0;
    await store.delete(`${prefix}a`, second);
    expect(await collected(events, 3)).toEqual(['put a=2', 'put b=3', 'delete a']);
    watch.close();
    await store.put(`${prefix}b`, '4', third);
    expect(await collected(events, 3)).toHaveLength(3);
  });
}
