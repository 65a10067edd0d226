import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { vimKind } from '@windlass/sol003';
import { vimsDescribedIn } from './described-tls.js';
import type { VimChoice } from './records.js';

/** The key of `additionalParams` that names the manifests of a VNF on Kubernetes, as in the reference system. */
export const DEF_FILES = 'lcm-kubernetes-def-files';

/** The key that names the namespace of objects whose manifests name none. */
export const NAMESPACE = 'namespace';

/** Whether what lies in that VIM are objects of a Kubernetes cluster, and not a stack. */
export const isCluster = (vim: Pick<VimChoice, 'kind'> | null | undefined): boolean => vim?.kind === 'kubernetes';

/** Where a request to instantiate wants its VNF: on a cluster where it names manifests, or a VIM that is one and no OpenStack. */
export function vimKindAskedFor(request: JsonObject): 'openstack' | 'kubernetes' {
  const { additionalParams } = request;
  if (isJsonObject(additionalParams) && additionalParams[DEF_FILES] !== undefined) return 'kubernetes';
  const kinds = vimsDescribedIn(request).map(({ vimType }) => vimKind(vimType));
  return kinds.includes('kubernetes') && !kinds.includes('openstack') ? 'kubernetes' : 'openstack';
}
