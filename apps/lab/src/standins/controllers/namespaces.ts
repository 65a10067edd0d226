import { seconds } from '@windlass/foundation';
import type { Namespace } from '../kube/kinds.js';
import { ALL_RESOURCES, isReview, R, resourcePath } from '../kube/resources.js';
import type { ClusterView } from './cluster-view.js';
import type { Controller } from './controller.js';

const CONTENT = ALL_RESOURCES.filter((type) => type.namespaced && !isReview(type));

/** Empties namespaces that are being deleted, and lets them go when nothing is left. */
export const namespaceController: Controller = {
  name: 'namespace',
  watches: [R.namespaces],
  async sync(view) {
    let waiting = false;
    for (const namespace of view.all<Namespace>(R.namespaces)) {
      if (namespace.metadata.deletionTimestamp === undefined) continue;
      if (await emptied(view, namespace.metadata.name)) await release(view, namespace);
      else waiting = true;
    }
    return waiting ? seconds(1) : undefined;
  },
};

async function emptied(view: ClusterView, namespace: string): Promise<boolean> {
  let left = 0;
  for (const type of CONTENT) {
    const { items } = await view.client.list(type, { namespace });
    if (items.length === 0) continue;
    await view.client.call({ method: 'DELETE', path: resourcePath(type, { namespace }) });
    left += items.length;
  }
  return left === 0;
}

async function release(view: ClusterView, namespace: Namespace): Promise<void> {
  await view.client.update(R.namespaces, { ...namespace, spec: { finalizers: [] } }, 'finalize');
}
