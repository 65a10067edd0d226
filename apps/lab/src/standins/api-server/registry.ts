import type { JsonObject } from '@windlass/foundation';
import { newUid, randomSuffix } from '../kube/names.js';
import type { Pod, Service } from '../kube/kinds.js';
import type { IpRange } from '../kube/ip-range.js';
import { asJson, asObject, deepCopy, objectAt, sameJson, stringAt, timestamp, type KubeObject } from '../kube/object.js';
import { groupVersionOf, hasSubresource, R, storageKey, type ResourceType } from '../kube/resources.js';
import { StatusError } from '../kube/status-error.js';
import type { Store, StoredRecord } from '../store/store.js';
import { admitCreate, admitDelete, admitNamespace, admitUpdate, type AdmissionContext } from './admission.js';
import type { Authorizer } from './authorization.js';
import { decideDeletion, type DeleteOptions } from './deletion.js';
import type { Identity } from './identity.js';
import { objectOf, type ObjectCache } from './object-cache.js';
import { allocateAddresses } from './service-addresses.js';
import type { ObjectPlace } from './object-place.js';
import { strategyOf } from './strategies/index.js';
import { validateMetadata } from './strategies/metadata.js';

export interface WriteContext {
  identity: Identity;
  /** `dryRun=All`: everything but the write itself. */
  dryRun: boolean;
}

/** How often a patch is tried again when somebody else writes in between. */
const ATTEMPTS = 5;

/** Reading and writing objects with all the rules that hold for every client: admission, defaults, validation, concurrency, deletion. */
export class ObjectRegistry {
  constructor(
    private readonly store: Store,
    private readonly cache: ObjectCache,
    private readonly authorizer: Authorizer,
    private readonly serviceRange: IpRange,
  ) {}

  async get({ type, namespace, name }: ObjectPlace): Promise<KubeObject> {
    return objectOf(await this.#record({ type, namespace, name }));
  }

  async list(type: ResourceType, namespace: string | undefined): Promise<{ items: KubeObject[]; revision: number }> {
    const { records, revision } = await this.store.list(storageKey(type, namespace));
    return { items: records.map(objectOf), revision };
  }

  /** @throws StatusError 400, 403, 404 (no such namespace), 409 (exists), 422 */
  async create(type: ResourceType, namespace: string | undefined, given: JsonObject, context: WriteContext): Promise<KubeObject> {
    const object = prepared(type, namespace, given);
    const { metadata } = asObject(object);
    await this.#checkNamespace(type, metadata.name, namespace);
    const strategy = strategyOf(type);
    if (strategy.createsWithStatus !== true) Reflect.deleteProperty(object, 'status');
    strategy.defaults?.(object);
    admitCreate(type, object, this.#admission(context));
    if (strategy.initialStatus !== undefined) object.status = structuredClone(strategy.initialStatus);
    validate(type, object);
    if (type === R.services) {
      const { items } = await this.list(R.services, undefined);
      if (items.some((item) => item.metadata.name === metadata.name && item.metadata.namespace === namespace))
        throw StatusError.alreadyExists(type, metadata.name);
      allocateAddresses(object, items as Service[], this.serviceRange);
    }
    Object.assign(metadata, { uid: newUid(), creationTimestamp: timestamp() });
    if (objectAt(object, 'spec') !== undefined) metadata.generation = 1;
    if (context.dryRun) return asObject(object);
    const key = storageKey(type, namespace, metadata.name);
    const revision = await this.store.put(key, JSON.stringify(object), 0);
    if (revision === undefined) throw StatusError.alreadyExists(type, metadata.name);
    return this.#written(object, revision);
  }

  /**
   * Changes an object: `change` gets a copy and returns the requested state. Where that names a resourceVersion, it must be the present one;
   * otherwise the change is made again on whatever is there.
   * @throws StatusError 403, 404, 409, 422
   */
  async update(
    place: ObjectPlace,
    subresource: string | undefined,
    change: (current: JsonObject) => JsonObject | Promise<JsonObject>,
    context: WriteContext,
  ): Promise<KubeObject> {
    for (let attempt = 1; ; attempt++) {
      const record = await this.#record(place);
      const current = objectOf(record);
      const requested = await change(asJson(deepCopy(current)));
      const asked = stringAt(requested, 'metadata', 'resourceVersion');
      if (asked !== undefined && asked !== '' && asked !== current.metadata.resourceVersion) {
        throw StatusError.conflict(place.type, place.name);
      }
      const next = this.#merged(place, requested, current, subresource, context);
      if (context.dryRun || sameJson(next, stored(current)))
        return {
          ...asObject(next),
          metadata: { ...asObject(next).metadata, resourceVersion: current.metadata.resourceVersion ?? '' },
        };
      const revision = isFinished(next)
        ? await this.store.delete(record.key, record.revision)
        : await this.store.put(record.key, JSON.stringify(next), record.revision);
      if (revision !== undefined) return this.#written(next, revision);
      if (attempt >= ATTEMPTS) throw StatusError.conflict(place.type, place.name);
    }
  }

  /** Puts a pod on a node: the one change of `spec.nodeName` that there is, and only once. */
  async bindPod(place: ObjectPlace, node: string, context: WriteContext): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const record = await this.#record(place);
      const pod = objectOf(record) as Pod;
      if (pod.spec.nodeName !== undefined && pod.spec.nodeName !== '') {
        throw StatusError.conflict(
          place.type,
          place.name,
          `pod ${place.name} is already assigned to node "${pod.spec.nodeName}"`,
        );
      }
      pod.spec.nodeName = node;
      const others = (pod.status?.conditions ?? []).filter((condition) => condition.type !== 'PodScheduled');
      pod.status = {
        ...pod.status,
        conditions: [...others, { type: 'PodScheduled', status: 'True', lastTransitionTime: timestamp() }],
      };
      if (context.dryRun) return;
      const revision = await this.store.put(record.key, JSON.stringify(stored(pod)), record.revision);
      if (revision !== undefined) return this.cache.reached(revision);
      if (attempt >= ATTEMPTS) throw StatusError.conflict(place.type, place.name);
    }
  }

  /** Deletes, or marks for deletion what something else must let go of first. Returns what is left, or undefined. */
  async delete(
    place: ObjectPlace,
    options: DeleteOptions,
    context: WriteContext,
  ): Promise<{ gone: boolean; object: KubeObject }> {
    for (let attempt = 1; ; attempt++) {
      const record = await this.#record(place);
      const current = objectOf(record);
      admitDelete(place.type, current, this.#admission(context));
      const marked = decideDeletion(place, current, options);
      if (context.dryRun) return { gone: marked === undefined, object: marked ?? current };
      if (marked !== undefined && sameJson(stored(marked), stored(current))) return { gone: false, object: current };
      const revision =
        marked === undefined
          ? await this.store.delete(record.key, record.revision)
          : await this.store.put(record.key, JSON.stringify(stored(marked)), record.revision);
      if (revision !== undefined) {
        const object = await this.#written(stored(marked ?? current), revision);
        return { gone: marked === undefined, object };
      }
      if (attempt >= ATTEMPTS) throw StatusError.conflict(place.type, place.name);
    }
  }

  async #record({ type, namespace, name }: ObjectPlace): Promise<StoredRecord> {
    const record = await this.store.get(storageKey(type, namespace, name));
    if (record === undefined) throw StatusError.notFound(type, name);
    return record;
  }

  async #checkNamespace(type: ResourceType, name: string, namespace: string | undefined): Promise<void> {
    if (namespace === undefined) return;
    const key = storageKey(R.namespaces, undefined, namespace);
    const record = await this.store.get(key);
    admitNamespace(type, name, record === undefined ? undefined : objectOf(record), namespace);
  }

  /** The next state: what the client may not touch is taken from the present one. */
  #merged(
    place: ObjectPlace,
    requested: JsonObject,
    current: KubeObject,
    subresource: string | undefined,
    context: WriteContext,
  ): JsonObject {
    const { type } = place;
    const next =
      subresource === undefined ? prepared(type, place.namespace, requested) : onlySubresource(requested, current, subresource);
    const { metadata } = asObject(next);
    if (metadata.name !== place.name) {
      throw StatusError.badRequest(
        `the name of the object (${metadata.name}) does not match the name on the URL (${place.name})`,
      );
    }
    if (metadata.uid !== undefined && metadata.uid !== '' && metadata.uid !== current.metadata.uid) {
      throw StatusError.conflict(
        type,
        place.name,
        `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${current.metadata.uid ?? ''}`,
      );
    }
    keep(metadata, current.metadata);
    if (subresource === undefined && hasSubresource(type, 'status')) keepMember(next, asJson(current), 'status');
    const strategy = strategyOf(type);
    strategy.defaults?.(next);
    admitUpdate(type, next, current, subresource, this.#admission(context));
    validate(type, next, asJson(current), subresource !== undefined);
    if (!sameJson(next.spec, asJson(current).spec) && metadata.generation !== undefined) metadata.generation += 1;
    return next;
  }

  #admission({ identity }: WriteContext): AdmissionContext {
    return { identity, objects: this.cache, authorizer: this.authorizer };
  }

  /** Waits until this server's own cache has the write, so that its next decision knows of it. */
  async #written(object: JsonObject, revision: number): Promise<KubeObject> {
    await this.cache.reached(revision);
    const result = asObject(object);
    return { ...result, metadata: { ...result.metadata, resourceVersion: String(revision) } };
  }
}

/** The form that goes into the store: without the resourceVersion, which the store itself counts. */
function stored(object: KubeObject): JsonObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...asJson(object), metadata: metadata as unknown as JsonObject };
}

/** @throws StatusError 400 where body and path contradict each other */
function prepared(type: ResourceType, namespace: string | undefined, given: JsonObject): JsonObject {
  const object = structuredClone(given);
  const groupVersion = groupVersionOf(type);
  if (object.apiVersion !== groupVersion || object.kind !== type.kind) {
    throw StatusError.badRequest(
      `the object provided (${JSON.stringify(object.apiVersion)}, kind ${JSON.stringify(object.kind)}) is not what this path serves (${groupVersion}, kind "${type.kind}")`,
    );
  }
  const metadata = objectAt(object, 'metadata') ?? {};
  object.metadata = metadata;
  const generate = stringAt(metadata, 'generateName');
  if ((stringAt(metadata, 'name') ?? '') === '' && generate !== undefined) metadata.name = `${generate}${randomSuffix()}`;
  const own = stringAt(metadata, 'namespace') ?? '';
  if (own !== '' && own !== (namespace ?? '')) {
    throw StatusError.badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (namespace !== undefined) metadata.namespace = namespace;
  else delete metadata.namespace;
  for (const member of ['resourceVersion', 'selfLink']) Reflect.deleteProperty(metadata, member);
  return object;
}

function onlySubresource(requested: JsonObject, current: KubeObject, subresource: string): JsonObject {
  const next = stored(deepCopy(current));
  if (subresource === 'finalize') next.spec = requested.spec ?? {};
  else if (requested.status === undefined) delete next.status;
  else next.status = requested.status;
  return next;
}

function keep(metadata: KubeObject['metadata'], old: KubeObject['metadata']): void {
  for (const member of ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'generation'] as const) {
    keepMember(metadata as unknown as JsonObject, old as unknown as JsonObject, member);
  }
}

function keepMember(next: JsonObject, old: JsonObject, member: string): void {
  const value = old[member];
  if (value === undefined) Reflect.deleteProperty(next, member);
  else next[member] = value;
}

function validate(type: ResourceType, object: JsonObject, old?: JsonObject, statusOnly = false): void {
  const strategy = strategyOf(type);
  const causes = [
    ...validateMetadata(object, strategy.names),
    ...(strategy.validate?.(object) ?? []),
    ...(old === undefined || statusOnly ? [] : (strategy.validateUpdate?.(object, old) ?? [])),
  ];
  if (causes.length > 0) throw StatusError.invalid(type.kind, type.group, asObject(object).metadata.name, causes);
}

/** Marked for deletion, and nobody holds it any more. Pods go when their kubelet says so, by a delete with no grace. */
function isFinished(object: JsonObject): boolean {
  const { metadata } = asObject(object);
  if (metadata.deletionTimestamp === undefined || (metadata.finalizers ?? []).length > 0) return false;
  if (object.kind === 'Pod') return metadata.deletionGracePeriodSeconds === 0;
  const holders = objectAt(object, 'spec')?.finalizers;
  return object.kind !== 'Namespace' || !Array.isArray(holders) || holders.length === 0;
}
