import { setTimeout as pause } from 'node:timers/promises';
import { asJson, asObject, type KubeObject } from '../kube/object.js';
import { StatusError } from '../kube/status-error.js';
import type { JsonObject } from '@windlass/foundation';
import type { Store, StoredRecord, StoreEvent, StoreWatch } from '../store/store.js';

export interface CacheEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  key: string;
  revision: number;
  /** The object after the change; for DELETED the last state, with the revision of the deletion. */
  object: KubeObject;
  previous?: KubeObject;
}

interface Subscriber {
  prefix: string;
  onEvent: (event: CacheEvent) => void;
}

interface RevisionWaiter {
  revision: number;
  resolve(): void;
}

/** How many changes a watch may be behind and still be served. Older ones get 410, as after etcd's compaction. */
const HISTORY = 4_000;

/**
 * All objects of the store in memory, kept up by one watch: the source of every client's watch, and of what
 * authorization reads. Lists and gets of clients go to the store itself.
 */
export class ObjectCache {
  readonly #objects = new Map<string, KubeObject>();
  readonly #subscribers = new Set<Subscriber>();
  #history: CacheEvent[] = [];
  /** Changes up to here are no longer in the history. */
  #forgotten = 0;
  #revision = 0;
  #waiters: RevisionWaiter[] = [];
  #watch: StoreWatch | undefined;
  #closed = false;
  #synced = false;

  constructor(
    private readonly store: Store,
    private readonly log: (line: string) => void,
  ) {}

  /** Loads everything; rejects with the store's error if that is not possible yet. */
  async start(): Promise<void> {
    await this.#load();
    await this.#follow();
  }

  get synced(): boolean {
    return this.#synced;
  }

  get revision(): number {
    return this.#revision;
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key);
  }

  list(prefix: string): KubeObject[] {
    const found: KubeObject[] = [];
    for (const [key, object] of this.#objects) if (key.startsWith(prefix)) found.push(object);
    return found;
  }

  /** Resolves when the cache has seen a write of this server, or after two seconds. */
  async reached(revision: number): Promise<void> {
    if (this.#revision >= revision) return;
    const limit = new AbortController();
    const seen = new Promise<void>((resolve) => this.#waiters.push({ revision, resolve }));
    const expired = pause(2_000, undefined, { signal: limit.signal }).catch(() => undefined);
    await Promise.race([seen, expired]);
    limit.abort();
  }

  /**
   * Every change under a prefix after `after`, first the past ones, then as they happen. The returned function ends it.
   * @throws StatusError 410 when the history no longer reaches back that far.
   */
  subscribe(prefix: string, after: number, onEvent: (event: CacheEvent) => void): () => void {
    if (after < this.#forgotten) {
      throw StatusError.gone(`too old resource version: ${after} (${this.#forgotten})`);
    }
    for (const event of this.#history) {
      if (event.revision > after && event.key.startsWith(prefix)) onEvent(event);
    }
    const subscriber = {
      prefix,
      onEvent: (event: CacheEvent) => {
        if (event.revision > after) onEvent(event);
      },
    };
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  close(): void {
    this.#closed = true;
    this.#watch?.close();
  }

  async #load(): Promise<void> {
    const { records, revision } = await this.store.list('/registry/');
    const fresh = new Map(records.map((record) => [record.key, record]));
    for (const [key, object] of this.#objects) {
      if (!fresh.has(key)) this.#apply({ type: 'delete', key, revision }, object);
    }
    for (const record of records) {
      const known = this.#objects.get(record.key);
      if (known?.metadata.resourceVersion !== String(record.revision)) this.#apply({ type: 'put', record }, known);
    }
    this.#history = [];
    this.#forgotten = revision;
    this.#moveTo(revision);
    this.#synced = true;
  }

  async #follow(): Promise<void> {
    this.#watch = await this.store.watch('/registry/', this.#revision, {
      onEvents: (events) => {
        for (const event of events) this.#apply(event, this.#objects.get(keyOf(event)));
      },
      onBreak: (reason, compacted) => {
        if (!this.#closed) void this.#resume(reason, compacted);
      },
    });
  }

  async #resume(reason: Error, compacted: boolean): Promise<void> {
    this.log(`the store's watch ended (${reason.message}); opening it again`);
    let load = compacted;
    for (let wait = 250; !this.#closed; wait = Math.min(wait * 2, 2_000)) {
      try {
        if (load) await this.#load();
        await this.#follow();
        this.#synced = true;
        return;
      } catch (error) {
        this.#synced = false;
        load = true;
        this.log(`the store can't be watched: ${error instanceof Error ? error.message : String(error)}`);
        await pause(wait, undefined, { ref: false });
      }
    }
  }

  #apply(event: StoreEvent, previous: KubeObject | undefined): void {
    const change = changeOf(event, previous);
    if (change === undefined) return;
    if (change.type === 'DELETED') this.#objects.delete(change.key);
    else this.#objects.set(change.key, change.object);
    this.#history.push(change);
    if (this.#history.length > HISTORY) {
      const dropped = this.#history.splice(0, HISTORY / 2);
      this.#forgotten = dropped.at(-1)?.revision ?? this.#forgotten;
    }
    this.#moveTo(change.revision);
    for (const { prefix, onEvent } of [...this.#subscribers]) if (change.key.startsWith(prefix)) onEvent(change);
  }

  #moveTo(revision: number): void {
    if (revision > this.#revision) this.#revision = revision;
    const due = this.#waiters.filter((waiter) => waiter.revision <= this.#revision);
    if (due.length === 0) return;
    this.#waiters = this.#waiters.filter((waiter) => waiter.revision > this.#revision);
    for (const waiter of due) waiter.resolve();
  }
}

const keyOf = (event: StoreEvent): string => (event.type === 'put' ? event.record.key : event.key);

function changeOf(event: StoreEvent, previous: KubeObject | undefined): CacheEvent | undefined {
  if (event.type === 'put') {
    const { key, revision } = event.record;
    const object = objectOf(event.record);
    if (previous === undefined) return { type: 'ADDED', key, revision, object };
    return { type: 'MODIFIED', key, revision, object, previous };
  }
  if (previous === undefined) return undefined;
  const object = withVersion(previous, event.revision);
  return { type: 'DELETED', key: event.key, revision: event.revision, object, previous };
}

/** The object in a record, with its revision as resourceVersion. */
export function objectOf(record: StoredRecord): KubeObject {
  const object = asObject(JSON.parse(record.value) as JsonObject);
  object.metadata.resourceVersion = String(record.revision);
  return object;
}

function withVersion(object: KubeObject, revision: number): KubeObject {
  return asObject({
    ...asJson(object),
    metadata: { ...(asJson(object).metadata as JsonObject), resourceVersion: String(revision) },
  });
}
