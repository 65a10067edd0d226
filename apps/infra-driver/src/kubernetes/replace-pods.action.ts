import { seconds } from '@windlass/foundation';
import { replacePodsAction } from '@windlass/lifecycle';
import { clusterAction } from './cluster-context.js';
import { deleteThose } from './delete-objects.action.js';

/** Deletes pods, each by its uid, so that a pod's replacement with the same name is never deleted. */
export const replacePods = clusterAction(replacePodsAction, {
  apply: async (context) => {
    await deleteThose(
      context,
      context.input.pods.map(({ namespace, name, uid }) => ({ ref: { apiVersion: 'v1', kind: 'Pod', namespace, name }, uid })),
      () => context.run.onlyWaits(),
    );
    return undefined;
  },
  retry: { attempts: 5, backoff: seconds(2), growth: 2 },
});
