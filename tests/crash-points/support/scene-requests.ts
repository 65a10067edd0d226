import type { JsonObject } from '@windlass/foundation';
import { scalingRequest } from '../../support/scaling-package.js';
import { sampleRequest } from './samples.js';
import { CLUSTER_VIM } from './simulated-cluster.js';

/** The address of the Ansible server. */
export const ANSIBLE_ADDRESS = '192.0.2.10';

/** The request of the scene INSTANTIATE, by the sample. */
export const INSTANTIATE_REQUESTS: Readonly<Record<string, () => Promise<JsonObject>>> = {
  'simple-vm': () => sampleRequest('instantiate-simple-vm.json'),
  'shared-images': () => sampleRequest('instantiate-simple-vm.json'),
  kubernetes: () => sampleRequest('instantiate-kubernetes-simple.json'),
  cluster: () => sampleRequest('instantiate-kubernetes-simple.json'),
  'cluster-of-masters': () => sampleRequest('instantiate-kubernetes-complex.json'),
  'cluster-apart': () => sampleRequest('instantiate-kubernetes-podaffinity.json'),
  scaling: () => Promise.resolve(scalingRequest('net0')),
  'kubernetes-storage': async () => {
    const request = await sampleRequest('instantiate-kubernetes-storage.json');
    const { k8s_cluster_installation_param: cluster } = request.additionalParams as Record<string, JsonObject>;
    // The network of the emulator's servers.
    const { nfs_server_setup_params: exported } = cluster!.storage_server as { nfs_server_setup_params: JsonObject[] };
    for (const each of exported) each.export_to = '10.10.0.0/16';
    const registry = { connection_type: '0', server: '192.0.2.5:5000', username: 'puller', password: 'of-the-registry' };
    Object.assign(cluster!, { private_registry_connection_info: [registry] });
    return request;
  },
  'private-registry': async () => {
    const request = await sampleRequest('instantiate-private-registry.json');
    const { private_registry_installation_param: registry } = request.additionalParams as Record<string, JsonObject>;
    Object.assign(registry!, { registry_username: 'puller', registry_password: 'of-the-registry' });
    return request;
  },
  kubespray: async () =>
    JSON.parse(
      JSON.stringify(await sampleRequest('instantiate-kubespray.json')).replaceAll('${ANSIBLE_ADDRESS}', ANSIBLE_ADDRESS),
    ) as JsonObject,
  cnf: () => cnfRequest(),
  scripted: () =>
    Promise.resolve({
      ...scalingRequest('net0'),
      additionalParams: { 'lcm-operation-user-data': './UserData/user_data.py', 'lcm-operation-user-data-class': 'Data' },
    }),
};

/** The request for the sample `cnf` on the simulated cluster. */
const cnfRequest = async (): Promise<JsonObject> => {
  const request = await sampleRequest('instantiate-cnf.json');
  return { ...request, vimConnectionInfo: [{ id: 'cluster', vimId: CLUSTER_VIM, vimType: 'kubernetes' }] };
};
