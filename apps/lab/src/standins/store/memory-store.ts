import type { Store, StoredRecord, StoreEvent, StoreWatch, WatchHandlers } from './store.js';

interface Watcher {
  prefix: string;
  handlers: WatchHandlers;
}

/** A store in memory with etcd's semantics: one revision for all keys, compare-and-set, watch from a revision. */
export class MemoryStore implements Store {
  readonly #records = new Map<string, StoredRecord>();
  readonly #history: StoreEvent[] = [];
  readonly #watchers = new Set<Watcher>();
  #revision = 1;

  get(key: string): Promise<StoredRecord | undefined> {
    return Promise.resolve(this.#records.get(key));
  }

  list(prefix: string): Promise<{ records: StoredRecord[]; revision: number }> {
    const records = [...this.#records.values()]
      .filter((record) => record.key.startsWith(prefix))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    return Promise.resolve({ records, revision: this.#revision });
  }

  put(key: string, value: string, expected: number): Promise<number | undefined> {
    if ((this.#records.get(key)?.revision ?? 0) !== expected) return Promise.resolve(undefined);
    const record = { key, value, revision: ++this.#revision };
    this.#records.set(key, record);
    this.#publish({ type: 'put', record });
    return Promise.resolve(record.revision);
  }

  delete(key: string, expected: number): Promise<number | undefined> {
    const record = this.#records.get(key);
    if (record?.revision !== expected) return Promise.resolve(undefined);
    this.#records.delete(key);
    this.#publish({ type: 'delete', key, revision: ++this.#revision });
    return Promise.resolve(this.#revision);
  }

  watch(prefix: string, after: number, handlers: WatchHandlers): Promise<StoreWatch> {
    const watcher = { prefix, handlers };
    const missed = this.#history.filter((event) => revisionOf(event) > after && keyOf(event).startsWith(prefix));
    if (missed.length > 0) handlers.onEvents(missed);
    this.#watchers.add(watcher);
    return Promise.resolve({ close: () => void this.#watchers.delete(watcher) });
  }

  /** Ends every watch as a lost connection would. */
  breakWatches(): void {
    for (const watcher of [...this.#watchers]) {
      this.#watchers.delete(watcher);
      watcher.handlers.onBreak(new Error('the memory store broke its watches'), false);
    }
  }

  close(): void {
    this.#watchers.clear();
  }

  #publish(event: StoreEvent): void {
    this.#history.push(event);
    for (const { prefix, handlers } of [...this.#watchers]) {
      if (keyOf(event).startsWith(prefix)) handlers.onEvents([event]);
    }
  }
}

const keyOf = (event: StoreEvent): string => (event.type === 'put' ? event.record.key : event.key);
const revisionOf = (event: StoreEvent): number => (event.type === 'put' ? event.record.revision : event.revision);
