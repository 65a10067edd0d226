import type { JsonObject } from '@windlass/foundation';
import { Informer } from '../client/informer.js';
import type { KubeClient, Place } from '../client/kube-client.js';
import type { KubeObject } from '../kube/object.js';
import type { ResourceType } from '../kube/resources.js';

/** What controllers see of the cluster, kept up by watches, and how they change it. Their own writes are seen at once. */
export class ClusterView {
  readonly #informers = new Map<ResourceType, Informer<KubeObject>>();
  readonly #listeners: { types: readonly ResourceType[]; run: (object: KubeObject | undefined) => void }[] = [];

  constructor(
    readonly client: KubeClient,
    private readonly types: readonly ResourceType[],
    private readonly log: (line: string) => void,
  ) {}

  /** Resolves when every resource has been listed. */
  async start(): Promise<void> {
    for (const type of this.types) {
      const changed = (object: KubeObject | undefined): void => {
        for (const { types, run } of this.#listeners) if (types.includes(type)) run(object);
      };
      this.#informers.set(type, new Informer(this.client, type, {}, changed, this.log));
    }
    await Promise.all([...this.#informers.values()].map((informer) => informer.start()));
  }

  stop(): void {
    for (const informer of this.#informers.values()) informer.stop();
  }

  /** Calls `run` after every change of one of these resources. */
  onChange(types: readonly ResourceType[], run: (object: KubeObject | undefined) => void): void {
    this.#listeners.push({ types, run });
  }

  all<T extends KubeObject>(type: ResourceType): T[] {
    return this.#informer(type).all() as T[];
  }

  get(type: ResourceType, name: string, namespace?: string): KubeObject | undefined {
    return this.#informer(type).get(name, namespace);
  }

  async create<T extends KubeObject>(type: ResourceType, object: T): Promise<T> {
    return this.#learnt(type, await this.client.create(type, object));
  }

  async update<T extends KubeObject>(type: ResourceType, object: T, subresource?: string): Promise<T> {
    return this.#learnt(type, await this.client.update(type, object, subresource));
  }

  async patch<T extends KubeObject = KubeObject>(
    type: ResourceType,
    object: KubeObject,
    patch: JsonObject,
    subresource?: string,
  ): Promise<T> {
    const place: Place = { ...placeOf(object), ...(subresource === undefined ? {} : { subresource }) };
    return this.#learnt(type, await this.client.patch<T>(type, place, patch));
  }

  async delete(type: ResourceType, object: KubeObject, gracePeriodSeconds?: number): Promise<void> {
    await this.client.delete(type, placeOf(object), gracePeriodSeconds);
  }

  /** Reads one object anew, for writes whose answer is not the object itself. */
  async refresh(type: ResourceType, object: KubeObject): Promise<void> {
    const found = await this.client.find(type, placeOf(object));
    if (found !== undefined) this.#learnt(type, found);
  }

  /** Whether the object is still there with that uid, asked of the server itself: watches of different resources are not in step. */
  async isThere(type: ResourceType, place: Place, uid?: string): Promise<boolean> {
    const found = await this.client.find(type, place);
    return found !== undefined && (uid === undefined || found.metadata.uid === uid);
  }

  #learnt<T extends KubeObject>(type: ResourceType, object: T): T {
    this.#informers.get(type)?.learn(object);
    return object;
  }

  #informer(type: ResourceType): Informer<KubeObject> {
    const informer = this.#informers.get(type);
    if (informer === undefined) throw new Error(`no informer of ${type.plural}`);
    return informer;
  }
}

export const placeOf = ({ metadata: { name, namespace } }: KubeObject): Place => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
});
