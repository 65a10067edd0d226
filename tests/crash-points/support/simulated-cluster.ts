import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { ClusterRefusal, type Cluster, type KubeObject, type OpenCluster } from '@windlass/infra-driver';
import type { ObjectRef } from '@windlass/lifecycle';
import type { RegisteredVim } from '@windlass/lifecycle/testing';
import { TENANT } from '@windlass/lifecycle/testing';
import { blank, sorted } from './blanked.js';

/** The id of the VIM that is this cluster. */
export const CLUSTER_VIM = '33333333-3333-4333-8333-333333333333';

/** The cluster as the registry of VIMs has it. */
export const simulatedClusterVim = (access: RegisteredVim['access']): RegisteredVim => ({
  id: CLUSTER_VIM,
  tenant: TENANT,
  isDefault: false,
  access,
  cluster: { authUrl: 'https://192.0.2.1:6443', token: 'of-the-cluster', ca: 'its CA' },
});

const KINDS: Readonly<Record<string, { apiVersion: string; plural: string; namespaced: boolean }>> = {
  Namespace: { apiVersion: 'v1', plural: 'namespaces', namespaced: false },
  ConfigMap: { apiVersion: 'v1', plural: 'configmaps', namespaced: true },
  Service: { apiVersion: 'v1', plural: 'services', namespaced: true },
  Pod: { apiVersion: 'v1', plural: 'pods', namespaced: true },
  PersistentVolumeClaim: { apiVersion: 'v1', plural: 'persistentvolumeclaims', namespaced: true },
  Deployment: { apiVersion: 'apps/v1', plural: 'deployments', namespaced: true },
};

/** A cluster in memory whose controllers and pods reach their wanted state at once, so that no step waits on a clock. */
export class SimulatedCluster {
  readonly #objects = new Map<string, KubeObject>();
  #made = 0;

  /** @param changed called after the answer to each change */
  constructor(private readonly changed: (request: string) => void) {
    this.#put({ apiVersion: 'v1', kind: 'Namespace', namespace: null, name: 'default' }, { status: { phase: 'Active' } });
  }

  /** The cluster's contents, in a form in which two runs can be compared. */
  get inventory(): unknown {
    return sorted(
      [...this.#objects.values()].map(({ metadata: { uid: _uid, ...metadata }, ...object }) => blank({ ...object, metadata })),
    );
  }

  /** The names of the pods. */
  get pods(): string[] {
    return [...this.#objects.values()].filter(({ kind }) => kind === 'Pod').map(({ metadata }) => metadata.name);
  }

  /** Opens the cluster for a step's claim. */
  readonly open: OpenCluster = (_access, { fence }): Cluster => ({
    served: (apiVersion, kind) =>
      Promise.resolve(KINDS[kind]?.apiVersion === apiVersion ? { ...KINDS[kind], verbs: [] } : undefined),
    kinds: () => Promise.resolve([]),
    forgetKinds: () => undefined,
    find: (ref) => Promise.resolve(structuredClone(this.#objects.get(keyOf(ref)))),
    list: (_apiVersion, kind, { namespace, selector }) => Promise.resolve(this.#list(kind, namespace, selector)),
    apply: (ref, object, options) => {
      fence();
      return this.#apply(ref, object, options?.dryRun === true);
    },
    scale: (ref, replicas) => {
      fence();
      return this.#scale(ref, replicas);
    },
    delete: (ref, uid) => {
      fence();
      return this.#delete(ref, uid);
    },
    close: () => undefined,
  });

  async #apply(ref: ObjectRef, object: JsonObject, dryRun: boolean): Promise<KubeObject> {
    if (
      ref.namespace !== null &&
      !this.#objects.has(keyOf({ apiVersion: 'v1', kind: 'Namespace', namespace: null, name: ref.namespace }))
    )
      throw new ClusterRefusal('kubernetes.unknown', `namespaces "${ref.namespace}" not found`, 404);
    if (dryRun) return { ...structuredClone(object), metadata: { name: ref.name, uid: 'tried' } };
    const made = this.#put(ref, structuredClone(object));
    await this.#told('apply');
    return structuredClone(made);
  }

  async #scale(ref: ObjectRef, replicas: number): Promise<void> {
    const found = this.#objects.get(keyOf(ref));
    if (found === undefined) throw new ClusterRefusal('kubernetes.unknown', `${ref.kind} "${ref.name}" not found`, 404);
    found.spec = { ...(found.spec as JsonObject), replicas };
    this.#control();
    await this.#told('scale');
  }

  async #delete(ref: ObjectRef, uid: string): Promise<void> {
    if (this.#objects.get(keyOf(ref))?.metadata.uid !== uid) return;
    this.#objects.delete(keyOf(ref));
    this.#control();
    await this.#told('delete');
  }

  /** Reports a change after a turn of the event loop, when its answer has come. */
  async #told(request: string): Promise<void> {
    await Promise.resolve();
    this.changed(`${request} of an object`);
  }

  #put({ apiVersion, kind, namespace, name }: ObjectRef, object: JsonObject): KubeObject {
    const key = keyOf({ apiVersion, kind, namespace, name });
    const metadata = isJsonObject(object.metadata) ? object.metadata : {};
    const uid = this.#objects.get(key)?.metadata.uid ?? this.#uid();
    const made = {
      ...object,
      apiVersion,
      kind,
      metadata: { ...metadata, ...(namespace === null ? {} : { namespace }), name, uid },
    };
    this.#objects.set(key, {
      ...made,
      ...(kind === 'Namespace' ? { status: { phase: 'Active' } } : {}),
      ...(kind === 'Service' ? { spec: { clusterIP: '10.96.0.9' } } : {}),
    });
    this.#control();
    return this.#objects.get(key) ?? made;
  }

  /** A UUID, as clusters give them, which two runs do not share. */
  #uid(): string {
    return `00000000-0000-4000-8000-${String(++this.#made).padStart(12, '0')}`;
  }

  /** Does the controllers' work: as many pods as each Deployment wants, none without a Deployment, nothing in a deleted namespace. */
  #control(): void {
    for (const [key, { metadata, kind }] of this.#objects) {
      const { namespace } = metadata;
      if (
        kind !== 'Namespace' &&
        typeof namespace === 'string' &&
        !this.#objects.has(keyOf({ apiVersion: 'v1', kind: 'Namespace', namespace: null, name: namespace }))
      )
        this.#objects.delete(key);
    }
    const wanted = new Set<string>();
    for (const object of [...this.#objects.values()]) {
      if (object.kind !== 'Deployment') continue;
      const spec = object.spec as { replicas?: number; template: { metadata: JsonObject } };
      const replicas = spec.replicas ?? 1;
      for (let n = 1; n <= replicas; n++) {
        const namespace = String(object.metadata.namespace);
        const name = `${object.metadata.name}-${n}`;
        const key = keyOf({ apiVersion: 'v1', kind: 'Pod', namespace, name });
        wanted.add(key);
        if (this.#objects.has(key)) continue;
        const metadata = { ...structuredClone(spec.template.metadata), namespace, name, uid: this.#uid() };
        this.#objects.set(key, { apiVersion: 'v1', kind: 'Pod', metadata, status: READY });
      }
      object.status = { replicas, updatedReplicas: replicas, availableReplicas: replicas };
    }
    for (const [key, { kind }] of this.#objects) if (kind === 'Pod' && !wanted.has(key)) this.#objects.delete(key);
  }

  #list(kind: string, namespace: string | undefined, selector: string): KubeObject[] {
    const labels = selector.split(',').map((each) => each.split('=') as [string, string]);
    return structuredClone(
      [...this.#objects.values()].filter(
        (object) =>
          object.kind === kind &&
          (namespace === undefined || object.metadata.namespace === namespace) &&
          labels.every(([name, value]) => (object.metadata.labels as JsonObject | undefined)?.[name] === value),
      ),
    );
  }
}

const READY = { phase: 'Running', podIP: '10.244.0.7', conditions: [{ type: 'Ready', status: 'True' }] };

const keyOf = ({ kind, namespace, name }: ObjectRef): string => [kind, namespace ?? '', name].join('/');
