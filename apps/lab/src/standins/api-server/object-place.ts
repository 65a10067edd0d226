import type { ResourceType } from '../kube/resources.js';

/** Where an object is. */
export interface ObjectPlace {
  type: ResourceType;
  namespace: string | undefined;
  name: string;
}
