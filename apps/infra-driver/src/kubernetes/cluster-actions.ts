import type { OnCluster } from '@windlass/lifecycle';
import { bindActions, type Action, type BoundAction } from '@windlass/saga';
import { auditCluster } from './audit-cluster.action.js';
import { applyObjects } from './apply-objects.action.js';
import { awaitObjects } from './await-objects.action.js';
import { withCluster, type ClusterContext, type ClusterMeans } from './cluster-context.js';
import { deleteObjects } from './delete-objects.action.js';
import { planObjects } from './plan-objects.action.js';
import { inspectObjects, readObjects } from './read-objects.action.js';
import { replacePods } from './replace-pods.action.js';
import { scaleObjects } from './scale-objects.action.js';
import { surveyObjects } from './survey-objects.action.js';

/** The actions of this service on Kubernetes clusters. */
export function clusterActions(means: ClusterMeans): BoundAction[] {
  const bind = <Input extends Pick<OnCluster, 'vim'>, Output>(
    action: Action<ClusterContext<Input>, Input, Output>,
  ): BoundAction[] => bindActions([action], (run, work) => withCluster(run, means, work));
  return [
    ...bind(planObjects),
    ...bind(applyObjects),
    ...bind(awaitObjects),
    ...bind(readObjects),
    ...bind(inspectObjects),
    ...bind(deleteObjects),
    ...bind(surveyObjects),
    ...bind(scaleObjects),
    ...bind(replacePods),
    ...bind(auditCluster),
  ];
}
