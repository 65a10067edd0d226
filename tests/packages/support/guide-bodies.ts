import { guideParams, PARAMS } from '@windlass/k8s-mgmt/testing';
import type { JsonObject } from '@windlass/foundation';

export type GuideFlavour = 'simple' | 'complex' | 'podaffinity';

/** The values in which the bodies of the flavours with a virtual IP differ. */
const OTHERWISE: Readonly<Record<GuideFlavour, { vimName: string; master: JsonObject }>> = {
  simple: { vimName: 'kubernetes_vim', master: {} },
  complex: { vimName: 'kubernetes_vim_complex', master: { cluster_cp_name: 'vip_CP' } },
  podaffinity: { vimName: 'kubernetes_vim_podaffinity', master: { cluster_cp_name: 'vip_CP', pod_cidr: '192.168.0.0/16' } },
};

/** The ids that the guide's reader fills in. */
export interface GuideIds {
  vimId: string;
  networkId: string;
}

/** A body of the cluster guide (`<flavour>_kubernetes_param_file.json`) with ids filled in and comments removed, and with the guide's parameters for both kinds of flavours. */
export function guideBody(flavour: GuideFlavour, { vimId, networkId }: GuideIds): JsonObject {
  const { [PARAMS]: cluster, ...userData } = guideParams() as Record<string, JsonObject>;
  const { vimName, master } = OTHERWISE[flavour];
  const link = (id: string, cpdId: string): JsonObject => ({
    id,
    resourceId: networkId,
    extCps: [{ cpdId, cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }] }],
  });
  return {
    flavourId: flavour,
    vimConnectionInfo: [{ id: '3cc2c4ff-525c-48b4-94c9-29247223322f', vimId, vimType: 'openstack' }],
    additionalParams: {
      [PARAMS]: { ...cluster, vim_name: vimName, master_node: { ...(cluster?.master_node as JsonObject), ...master } },
      ...userData,
    },
    extVirtualLinks: [link('net0_master', 'masterNode_CP1'), link('net0_worker', 'workerNode_CP2')],
  };
}
