/** One record: an object of the API as JSON text, and the revision of its last write. */
export interface StoredRecord {
  key: string;
  value: string;
  /** Grows by one with every write to the store as a whole. */
  revision: number;
}

/** One change, in the order of revisions. */
export type StoreEvent = { type: 'put'; record: StoredRecord } | { type: 'delete'; key: string; revision: number };

export interface StoreWatch {
  close(): void;
}

export interface WatchHandlers {
  onEvents(events: StoreEvent[]): void;
  /** The stream broke; nothing further comes. `compacted` says that the asked revision is no longer kept. */
  onBreak(reason: Error, compacted: boolean): void;
}

/**
 * What the API server stores objects in: etcd, or memory in unit tests. Writes are compare-and-set on the revision.
 * Every method rejects with a StatusError 503 when the store can't be reached or has no quorum.
 */
export interface Store {
  get(key: string): Promise<StoredRecord | undefined>;
  /** All records under a prefix by key, and the revision at which this was true. */
  list(prefix: string): Promise<{ records: StoredRecord[]; revision: number }>;
  /** Writes if the record's revision is `expected` (0: if there is none). The new revision, or undefined if it wasn't. */
  put(key: string, value: string, expected: number): Promise<number | undefined>;
  /** Deletes if the record's revision is `expected`. The new revision, or undefined if it wasn't. */
  delete(key: string, expected: number): Promise<number | undefined>;
  /** All changes under a prefix after the given revision. Resolves when the store has accepted the watch. */
  watch(prefix: string, after: number, handlers: WatchHandlers): Promise<StoreWatch>;
  close(): void;
}
