import type { Duration } from '@windlass/foundation';
import type { ResourceType } from '../kube/resources.js';
import type { ClusterView } from './cluster-view.js';

/** One of the controllers: which resources wake it, and what it does then, looking at everything it is responsible for. */
export interface Controller {
  name: string;
  watches: readonly ResourceType[];
  sync(view: ClusterView): Promise<Duration | undefined>;
}
