import { paramsAs } from '@windlass/driver-kit';
import type { HookContext } from '@windlass/mgmt-driver';
import { PARAM } from '../../parameters/of-clusters.js';
import { clusterImages } from '../../settings/images.js';
import type { K8sMgmtSettings } from '../../settings/settings.js';

interface Named {
  verification_image?: string;
  image_repository?: string;
}

/** The image of the pods that test a cluster: the request's, else the instantiation's, else the service's. */
export function verificationImageOf({ requestParams, instantiateParams }: HookContext, settings: K8sMgmtSettings): string {
  const of = paramsAs<Named & { [PARAM]?: Named }>;
  const [request, instantiation] = [of(requestParams), of(instantiateParams)[PARAM]];
  return (
    request.verification_image ??
    request[PARAM]?.verification_image ??
    instantiation?.verification_image ??
    clusterImages(settings, instantiation?.image_repository).verification
  );
}
