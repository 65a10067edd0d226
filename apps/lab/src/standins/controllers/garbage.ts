import type { KubeNode, Pod } from '../kube/kinds.js';
import type { KubeObject, OwnerReference } from '../kube/object.js';
import { ALL_RESOURCES, groupVersionOf, R, type ResourceType } from '../kube/resources.js';
import type { ClusterView } from './cluster-view.js';
import type { Controller } from './controller.js';

/** What can be owned here: pods by their workloads, replica sets by deployments, leases by nodes, `kubeadm-certs` by its token. */
const OWNED = [R.pods, R.replicasets, R.leases, R.secrets];
const OWNERS = [R.daemonsets, R.deployments, R.nodes, R.replicasets, R.secrets];

/** Deletes what no owner is left of. An owner of a kind that is not served here is taken to be there. */
export const garbageController: Controller = {
  name: 'garbage-collector',
  watches: [...new Set([...OWNERS, ...OWNED])],
  async sync(view) {
    const alive = new Set(OWNERS.flatMap((type) => view.all(type)).map(({ metadata }) => metadata.uid));
    for (const type of OWNED) {
      for (const object of view.all(type)) {
        const owners = object.metadata.ownerReferences ?? [];
        if (owners.length === 0 || owners.some((owner) => alive.has(owner.uid))) continue;
        if (object.metadata.deletionTimestamp === undefined && (await allGone(view, object, owners)))
          await view.delete(type, object);
      }
    }
    return undefined;
  },
};

const ownerType = ({ apiVersion, kind }: OwnerReference): ResourceType | undefined =>
  ALL_RESOURCES.find((type) => type.kind === kind && groupVersionOf(type) === apiVersion);

async function allGone(view: ClusterView, object: KubeObject, owners: readonly OwnerReference[]): Promise<boolean> {
  for (const owner of owners) {
    const type = ownerType(owner);
    if (type === undefined) return false;
    const { namespace } = object.metadata;
    const place = { name: owner.name, ...(type.namespaced && namespace !== undefined ? { namespace } : {}) };
    if (await view.isThere(type, place, owner.uid)) return false;
  }
  return true;
}

/** Removes the pods of nodes that are no more: nobody else would ever end them. The real one waits 40 s first. */
export const podGarbageController: Controller = {
  name: 'pod-garbage-collector',
  watches: [R.nodes, R.pods],
  async sync(view) {
    const nodes = new Set(view.all<KubeNode>(R.nodes).map((node) => node.metadata.name));
    for (const pod of view.all<Pod>(R.pods)) {
      const { nodeName } = pod.spec;
      if (nodeName === undefined || nodeName === '' || nodes.has(nodeName)) continue;
      if (!(await view.isThere(R.nodes, { name: nodeName }))) await view.delete(R.pods, pod, 0);
    }
    return undefined;
  },
};
