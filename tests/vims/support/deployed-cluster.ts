import { registerAsClusterOf } from '../../cnf/support/cluster.js';
import type { KubernetesApi } from '../../enrolment/support/kubernetes-api.js';
import { instantiate, inState } from '../../observability/support/replicas.js';
import { onboard, type System } from '../../support/system.js';

/** Instantiates a VNF, and registers a cluster as the VNF's own. Returns the instance's id. Needs a registered VIM. */
export async function deployedCluster(system: System, cluster: Pick<KubernetesApi, 'url' | 'token' | 'ca'>): Promise<string> {
  const { vnfdId } = await onboard(system.api, 'simple-vm');
  const { instance, operationId } = await instantiate(system.api, vnfdId);
  await inState(system.api, operationId, 'COMPLETED');
  await registerAsClusterOf(system, cluster, instance);
  return instance;
}
