import type { JsonObject } from '@windlass/foundation';
import { StatusError } from '../kube/status-error.js';
import type { EtcdClient } from './etcd-client.js';
import type { Store, StoredRecord, StoreEvent, StoreWatch, WatchHandlers } from './store.js';

interface EtcdRecord {
  key: string;
  value?: string;
  mod_revision?: string;
}

interface WatchAnswer {
  result?: {
    created?: boolean;
    canceled?: boolean;
    compact_revision?: string;
    cancel_reason?: string;
    events?: { type?: 'PUT' | 'DELETE'; kv: EtcdRecord }[];
  };
}

const encode = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
const decode = (text: string): string => Buffer.from(text, 'base64').toString('utf8');

/** The end of the range of all keys with this prefix: the prefix with its last byte raised. */
function prefixEnd(prefix: string): string {
  const bytes = Buffer.from(prefix, 'utf8');
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) + 1;
  return bytes.toString('base64');
}

const record = (found: EtcdRecord): StoredRecord => ({
  key: decode(found.key),
  value: decode(found.value ?? ''),
  revision: Number(found.mod_revision ?? 0),
});

/** The store of a real control plane: etcd, with linearizable reads. */
export class EtcdStore implements Store {
  constructor(private readonly etcd: EtcdClient) {}

  async get(key: string): Promise<StoredRecord | undefined> {
    const answer = await this.#call<{ kvs?: EtcdRecord[] }>('/v3/kv/range', { key: encode(key) });
    const [found] = answer.kvs ?? [];
    return found === undefined ? undefined : record(found);
  }

  async list(prefix: string): Promise<{ records: StoredRecord[]; revision: number }> {
    const answer = await this.#call<{ header: { revision: string }; kvs?: EtcdRecord[] }>('/v3/kv/range', {
      key: encode(prefix),
      range_end: prefixEnd(prefix),
    });
    return { records: (answer.kvs ?? []).map(record), revision: Number(answer.header.revision) };
  }

  async put(key: string, value: string, expected: number): Promise<number | undefined> {
    return this.#compareAndDo(key, expected, { request_put: { key: encode(key), value: encode(value) } });
  }

  async delete(key: string, expected: number): Promise<number | undefined> {
    return this.#compareAndDo(key, expected, { request_delete_range: { key: encode(key) } });
  }

  async watch(prefix: string, after: number, handlers: WatchHandlers): Promise<StoreWatch> {
    let over = false;
    const end = (error: Error, compacted = false): void => {
      if (over) return;
      over = true;
      handlers.onBreak(error, compacted);
    };
    const body = {
      create_request: { key: encode(prefix), range_end: prefixEnd(prefix), start_revision: String(after + 1) },
    };
    const stream = await this.etcd.stream('/v3/watch', body, {
      message: (message) => {
        const { result } = message as WatchAnswer;
        if (result?.canceled === true || result === undefined) {
          end(
            new Error(`etcd cancelled the watch: ${result?.cancel_reason ?? JSON.stringify(message)}`),
            result?.compact_revision !== undefined,
          );
          return;
        }
        const events = (result.events ?? []).map(toEvent);
        if (events.length > 0 && !over) handlers.onEvents(events);
      },
      end,
    });
    return {
      close: () => {
        over = true;
        stream.close();
      },
    };
  }

  close(): void {
    this.etcd.close();
  }

  async #compareAndDo(key: string, expected: number, operation: JsonObject): Promise<number | undefined> {
    const answer = await this.#call<{ header: { revision: string }; succeeded?: boolean }>('/v3/kv/txn', {
      compare: [{ key: encode(key), target: 'MOD', mod_revision: String(expected), result: 'EQUAL' }],
      success: [operation],
    });
    return answer.succeeded === true ? Number(answer.header.revision) : undefined;
  }

  async #call<T>(path: string, body: JsonObject): Promise<T> {
    try {
      return await this.etcd.call<T>(path, body);
    } catch (error) {
      throw StatusError.unavailable(`etcdserver: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

function toEvent(event: { type?: 'PUT' | 'DELETE'; kv: EtcdRecord }): StoreEvent {
  if (event.type === 'DELETE') {
    return { type: 'delete', key: decode(event.kv.key), revision: Number(event.kv.mod_revision ?? 0) };
  }
  return { type: 'put', record: record(event.kv) };
}
