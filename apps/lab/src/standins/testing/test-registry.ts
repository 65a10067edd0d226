import type { JsonObject } from '@windlass/foundation';
import { Authorizer } from '../api-server/authorization.js';
import { bootstrap } from '../api-server/bootstrap.js';
import type { Identity } from '../api-server/identity.js';
import { ObjectCache } from '../api-server/object-cache.js';
import { ObjectRegistry, type WriteContext } from '../api-server/registry.js';
import { parseCidr } from '../kube/ip-range.js';
import type { KubeObject } from '../kube/object.js';
import { groupVersionOf, R, type ResourceType } from '../kube/resources.js';
import { MemoryStore } from '../store/memory-store.js';

const ROOT: Identity = { name: 'root', groups: ['system:masters', 'system:authenticated'] };
export const asRoot: WriteContext = { identity: ROOT, dryRun: false };

export interface TestRegistry {
  registry: ObjectRegistry;
  cache: ObjectCache;
  store: MemoryStore;
  /** Creates an object of a resource from its members beside the metadata. */
  make(type: ResourceType, name: string, rest?: JsonObject, namespace?: string): Promise<KubeObject>;
}

/** Makes the API server's registry over a store in memory, without a network. */
export async function newTestRegistry(): Promise<TestRegistry> {
  const store = new MemoryStore();
  const cache = new ObjectCache(store, () => undefined);
  await cache.start();
  const serviceRange = parseCidr('10.96.0.0/12');
  if (serviceRange === undefined) throw new Error('unreachable');
  const registry = new ObjectRegistry(store, cache, new Authorizer(cache), serviceRange);
  await bootstrap(registry, { serviceRange });
  const make = (type: ResourceType, name: string, rest: JsonObject = {}, namespace = 'default'): Promise<KubeObject> =>
    registry.create(
      type,
      type.namespaced ? namespace : undefined,
      { apiVersion: groupVersionOf(type), kind: type.kind, metadata: { name }, ...rest },
      asRoot,
    );
  await make(R.serviceaccounts, 'default');
  return { registry, cache, store, make };
}
