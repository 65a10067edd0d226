import { setTimeout as pause } from 'node:timers/promises';
import type { KubeObject } from '../kube/object.js';
import { resourcePath, type ResourceType } from '../kube/resources.js';
import { StatusError } from '../kube/status-error.js';
import type { KubeClient, WatchEvent } from './kube-client.js';

export interface InformerScope {
  namespace?: string;
  /** Such as `spec.nodeName=worker1`. */
  fieldSelector?: string;
}

/** Keeps all objects of one resource in memory, by list and watch, over lost connections and restarts of the server. */
export class Informer<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  /** Versions at which objects were seen to go, so that a late answer to a write does not bring one back. */
  readonly #gone = new Map<string, number>();
  readonly #abort = new AbortController();
  #version = '';
  #synced = false;

  constructor(
    private readonly client: KubeClient,
    readonly type: ResourceType,
    private readonly scope: InformerScope = {},
    /** Called after every change, and after each listing with no object. */
    private readonly onChange: (object: T | undefined) => void = () => undefined,
    private readonly log: (line: string) => void = () => undefined,
  ) {}

  /** Whether it has listed at least once. */
  get synced(): boolean {
    return this.#synced;
  }

  all(): T[] {
    return [...this.#objects.values()];
  }

  get(name: string, namespace?: string): T | undefined {
    return this.#objects.get(keyOf({ name, namespace }));
  }

  /** Takes in what a write of our own answered, before the watch brings it: the next look must not miss it. */
  learn(object: T): void {
    const key = keyOf(object.metadata);
    const version = versionOf(object);
    if (version <= (this.#gone.get(key) ?? 0) || version <= versionOf(this.#objects.get(key))) return;
    this.#objects.set(key, object);
  }

  /** Begins to follow; resolves when the first listing is there or the informer is stopped. */
  async start(): Promise<void> {
    const first = new Promise<void>((resolve) => {
      void this.#run(resolve);
    });
    return first;
  }

  stop(): void {
    this.#abort.abort();
  }

  async #run(onSynced: () => void): Promise<void> {
    const { signal } = this.#abort;
    for (let wait = 250; !signal.aborted;) {
      try {
        if (this.#version === '') {
          await this.#list();
          onSynced();
        }
        const begun = performance.now();
        await this.client.watch(this.#watchPath(), (event) => this.#take(event), signal);
        wait = 250;
        // A server that is going down ends each watch at once.
        if (performance.now() - begun < 1_000) await pause(wait, undefined, { signal }).catch(() => undefined);
      } catch (error) {
        if (error instanceof StatusError && error.code === 410) this.#version = '';
        else {
          this.log(`watching ${this.type.plural}: ${error instanceof Error ? error.message : String(error)}`);
          await pause(wait, undefined, { signal }).catch(() => undefined);
          wait = Math.min(wait * 2, 2_000);
        }
      }
    }
    onSynced();
  }

  async #list(): Promise<void> {
    const { items, resourceVersion } = await this.client.list<T>(this.type, this.#place(), this.#selector());
    this.#objects.clear();
    this.#gone.clear();
    for (const item of items) this.#objects.set(keyOf(item.metadata), item);
    this.#version = resourceVersion;
    this.#synced = true;
    this.onChange(undefined);
  }

  #take({ type, object }: WatchEvent): void {
    if (type === 'ERROR') {
      this.#version = '';
      return;
    }
    this.#version = object.metadata.resourceVersion ?? this.#version;
    if (type === 'BOOKMARK') return;
    const key = keyOf(object.metadata);
    if (type === 'DELETED') {
      this.#objects.delete(key);
      if (this.#gone.size > REMEMBERED) this.#gone.clear();
      this.#gone.set(key, versionOf(object));
    } else if (versionOf(object) >= versionOf(this.#objects.get(key))) this.#objects.set(key, object as T);
    this.onChange(object as T);
  }

  #place(): { namespace?: string } {
    return this.scope.namespace === undefined ? {} : { namespace: this.scope.namespace };
  }

  #selector(): string {
    return this.scope.fieldSelector === undefined ? '' : `fieldSelector=${encodeURIComponent(this.scope.fieldSelector)}`;
  }

  #watchPath(): string {
    const query = ['watch=true', 'allowWatchBookmarks=true', `resourceVersion=${this.#version}`, this.#selector()];
    return `${resourcePath(this.type, this.#place())}?${query.filter((part) => part !== '').join('&')}`;
  }
}

/** How many deletions are remembered; a write is answered long before so many others. */
const REMEMBERED = 1_000;

const versionOf = (object: KubeObject | undefined): number => Number(object?.metadata.resourceVersion ?? 0);

const keyOf = ({ name, namespace }: { name: string; namespace?: string | undefined }): string => `${namespace ?? ''}/${name}`;
