import { addressAt, type IpRange } from '../kube/ip-range.js';
import { asJson, type KubeObject } from '../kube/object.js';
import { R, type ResourceType } from '../kube/resources.js';
import { isConflict } from '../kube/status-error.js';
import {
  BOOTSTRAP_CLUSTER_ROLE_BINDINGS,
  BOOTSTRAP_CLUSTER_ROLES,
  BOOTSTRAP_NAMESPACES,
  BOOTSTRAP_PRIORITY_CLASSES,
} from './bootstrap-policy.js';
import type { ObjectRegistry } from './registry.js';

/** The API server itself. */
const LOOPBACK = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

/** Makes what every cluster has from its first second: namespaces, default RBAC, priority classes, the `kubernetes` service. What is there stays. */
export async function bootstrap(registry: ObjectRegistry, settings: { serviceRange: IpRange }): Promise<void> {
  await ensureAll(registry, R.namespaces, BOOTSTRAP_NAMESPACES);
  await ensureAll(registry, R.clusterroles, BOOTSTRAP_CLUSTER_ROLES);
  await ensureAll(registry, R.clusterrolebindings, BOOTSTRAP_CLUSTER_ROLE_BINDINGS);
  await ensureAll(registry, R.priorityclasses, BOOTSTRAP_PRIORITY_CLASSES);
  await ensureAll(registry, R.services, [kubernetesService(settings.serviceRange)]);
}

async function ensureAll(registry: ObjectRegistry, type: ResourceType, wanted: readonly KubeObject[]): Promise<void> {
  const { items } = await registry.list(type, undefined);
  const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;
  const present = new Set(items.map(keyOf));
  const missing = wanted.filter((object) => !present.has(keyOf(object)));
  await Promise.all(
    missing.map(async (object) => {
      try {
        await registry.create(type, object.metadata.namespace, asJson(object), { identity: LOOPBACK, dryRun: false });
      } catch (error) {
        // Another API server was faster, or it is there from before.
        if (!isConflict(error)) throw error;
      }
    }),
  );
}

const kubernetesService = (range: IpRange): KubeObject & { spec: object } => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
  spec: { clusterIP: addressAt(range, 1), ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }] },
});
