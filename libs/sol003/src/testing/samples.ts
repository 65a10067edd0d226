import type { VnfInstance } from '../types/vnf-instance.js';
import type { VnfLcmOpOcc } from '../types/op-occ.js';

/** The instantiate request of the user guide (seeds/1, "simple"), with its secrets. */
export const guideInstantiate = () => ({
  flavourId: 'simple',
  vimConnectionInfo: [
    { id: '3cc2c4ff-525c-48b4-94c9-29247223322f', vimId: '05ef7ca5-7e32-4a6b-a03d-52f811f04496', vimType: 'openstack' },
  ],
  additionalParams: {
    k8s_cluster_installation_param: {
      script_path: 'Scripts/install_k8s_cluster.sh',
      vim_name: 'kubernetes_vim',
      master_node: {
        aspect_id: 'master_instance',
        ssh_cp_name: 'masterNode_CP1',
        nic_cp_name: 'masterNode_CP1',
        username: 'ubuntu',
        password: 'master-pw',
        pod_cidr: '192.168.3.0/16',
        cluster_cidr: '10.199.187.0/24',
        cluster_cp_name: 'masterNode_CP1',
      },
      worker_node: {
        aspect_id: 'worker_instance',
        ssh_cp_name: 'workerNode_CP2',
        nic_cp_name: 'workerNode_CP2',
        username: 'ubuntu',
        password: 'worker-pw',
      },
      proxy: {
        http_proxy: 'http://user1:password1@host1:3128',
        https_proxy: 'https://user2:password2@host2:3128',
        no_proxy: '192.168.246.0/24,10.0.0.1',
        k8s_node_cidr: '10.10.0.0/24',
      },
    },
    'lcm-operation-user-data': './UserData/k8s_cluster_user_data.py',
    'lcm-operation-user-data-class': 'KubernetesClusterUserData',
  },
  extVirtualLinks: ['master', 'worker'].map((node, index) => ({
    id: `net0_${node}`,
    resourceId: '71a3fbd1-f31e-4c2c-b0e2-26267d64a9ee',
    extCps: [
      {
        cpdId: `${node}Node_CP${index + 1}`,
        cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }],
      },
    ],
  })),
});

const port = (id: string) => ({ id, resourceHandle: { resourceId: `neutron-${id}`, vimLevelResourceType: 'OS::Neutron::Port' } });

/** A VNFC with one connection point and one volume. */
export const vnfc = (name: string, resourceId = `nova-${name}`) => ({
  id: name,
  vduId: 'workerNode',
  computeResource: { vimConnectionId: 'vim', resourceId, vimLevelResourceType: 'OS::Nova::Server' },
  storageResourceIds: [`volume-${name}`],
  vnfcCpInfo: [{ id: `cp-${name}`, cpdId: 'workerNode_CP2', vnfLinkPortId: `port-${name}` }],
});

/** A VNF of the named VNFCs, every part of the standard's type filled. */
export const instantiatedInfo = (names: string[]) => ({
  flavourId: 'simple',
  vnfState: 'STARTED' as const,
  scaleStatus: [{ aspectId: 'worker_instance', scaleLevel: names.length }],
  extCpInfo: [{ id: 'ext-1', cpdId: 'workerNode_CP2', cpProtocolInfo: [{ layerProtocol: 'IP_OVER_ETHERNET' as const }] }],
  extVirtualLinkInfo: [{ id: 'net0', resourceHandle: { resourceId: 'network-0' } }],
  vnfcResourceInfo: names.map((name) => vnfc(name)),
  vnfVirtualLinkResourceInfo: [
    {
      id: 'vl-1',
      vnfVirtualLinkDescId: 'internalVL',
      networkResource: { resourceId: 'network-1', vimLevelResourceType: 'OS::Neutron::Net' },
      vnfLinkPorts: names.map((name) => port(`port-${name}`)),
    },
  ],
  virtualStorageResourceInfo: names.map((name) => ({
    id: `volume-${name}`,
    virtualStorageDescId: 'storage',
    storageResource: { resourceId: `cinder-${name}`, vimLevelResourceType: 'OS::Cinder::Volume' },
  })),
});

/** The id of the samples' VNF instance. */
export const INSTANCE_ID = '3f32428d-e8ce-4d6a-9be9-4c7f3a02ac72';
/** The id of the samples' operation occurrence. */
export const OP_OCC_ID = '0b9a1e41-8b1d-4f57-9f2e-8a3d2b6b5e10';

/** An instantiated VNF with secrets in its connection. */
export const sampleInstance = (changes: Partial<VnfInstance> = {}): VnfInstance => ({
  id: INSTANCE_ID,
  vnfdId: 'b1db0ce7-ebca-1fb7-95ed-4840d70a1163',
  vnfProvider: 'Company',
  vnfProductName: 'Sample VNF',
  vnfSoftwareVersion: '1.0',
  vnfdVersion: '1.0',
  vnfPkgId: '03a8eb3e-a981-434e-a548-82d9b90161d7',
  instantiationState: 'INSTANTIATED',
  vimConnectionInfo: [
    {
      id: 'vim',
      vimId: '05ef7ca5-7e32-4a6b-a03d-52f811f04496',
      vimType: 'openstack',
      accessInfo: { username: 'nfv', password: 'vim-pw', region: 'RegionOne' },
    },
  ],
  instantiatedVnfInfo: instantiatedInfo(['a', 'b']),
  metadata: { owner: 'lab' },
  ...changes,
});

/** A completed instantiation. */
export const sampleOpOcc = (changes: Partial<VnfLcmOpOcc> = {}): VnfLcmOpOcc => ({
  id: OP_OCC_ID,
  operationState: 'COMPLETED',
  stateEnteredTime: '2025-01-02T03:05:00.000Z',
  startTime: '2025-01-02T03:04:05.000Z',
  vnfInstanceId: INSTANCE_ID,
  operation: 'INSTANTIATE',
  isAutomaticInvocation: false,
  isCancelPending: false,
  operationParams: guideInstantiate(),
  ...changes,
});
