import { hookContextOf, INSTANCE } from '@windlass/driver-kit/testing';
import { masked, type JsonObject } from '@windlass/foundation';
import type { HookContext, ValidateRequest } from '@windlass/mgmt-driver';
import { flavour, PARAMS, validateRequest as validateRequestOf, vnfc } from '../../testing/requests.js';

export { INSTANCE, PARAMS };

/** The address of the requests' Ansible server. */
export const SERVER = '192.0.2.10';
export const SERVER_ID = `${INSTANCE}:${SERVER}`;
export const ROOT = '/home/ansible/kubespray';
export const FOLDER = `/home/ansible/inventories/windlass-${INSTANCE}`;

/** The unchanged `additionalParams` of the document's sample request (seeds/4-kubespray-and-load-balancer-spec.txt). */
export const seedParams = (): JsonObject => ({
  [PARAMS]: {
    script_path: '',
    vim_name: 'kubernetes_vim',
    ansible: {
      ip_address: '0.0.0.0',
      username: 'ansible',
      password: 'ansible',
      kubespray_root_path: '',
      transferring_inventory_path: '',
    },
    master_node: {
      aspect_id: 'master_instance',
      ssh_cp_name: 'masterNode_CP1',
      nic_cp_name: 'masterNode_CP1',
      username: 'ubuntu',
      password: 'ubuntu',
      pod_cidr: '192.168.3.0/16',
      cluster_cidr: '10.199.187.0/24',
      cluster_cp_name: 'masterNode_CP1',
    },
    worker_node: {
      aspect_id: 'worker_instance',
      ssh_cp_name: 'workerNode_CP2',
      nic_cp_name: 'workerNode_CP2',
      username: 'ubuntu',
      password: 'ubuntu',
    },
    proxy: {
      http_proxy: 'http://user1:password1@host1:port1',
      https_proxy: 'https://user2:password2@host2:port2',
      no_proxy: '192.168.246.0/24,10.0.0.1',
      k8s_node_cidr: '10.10.0.0/24',
    },
    external_lb_param: {
      ssh_cp_name: 'externalLB_instance',
      ssh_username: 'ubuntu',
      ssh_password: 'ubuntu',
      script_path: './Scripts/ExternalLB_installation.sh',
    },
  },
  'lcm-operation-user-data': './UserData/k8s_cluster_user_data.py',
  'lcm-operation-user-data-class': 'KubernetesClusterUserData',
});

/** The sample's parameters with placeholders filled in, and with a CP in the place of `externalLB_instance`. */
export function documentParams(): JsonObject {
  const params = seedParams();
  const cluster = params[PARAMS] as Record<string, JsonObject>;
  Object.assign(cluster.ansible!, {
    ip_address: SERVER,
    kubespray_root_path: ROOT,
    transferring_inventory_path: '/home/ansible/inventories/',
  });
  Object.assign(cluster.external_lb_param!, { ssh_cp_name: 'externalLB_CP1' });
  return params;
}

/** The filled-in parameters without the load balancer. */
export function filledParams(): JsonObject {
  const params = documentParams();
  delete (params[PARAMS] as JsonObject).external_lb_param;
  return params;
}

/** The filled-in parameters without load balancer and proxies. */
export function plainParams(): JsonObject {
  const params = filledParams();
  delete (params[PARAMS] as JsonObject).proxy;
  return params;
}

export const validateRequest = (params: JsonObject, more: Partial<ValidateRequest> = {}): ValidateRequest =>
  validateRequestOf(params, { flavour: flavour(), files: [], ...more });

/** The context of a hook with one master and so many workers. */
export const hookContext = (params: JsonObject, workers: number, more: Partial<HookContext> = {}): HookContext =>
  hookContextOf({
    instantiateParams: masked(params),
    requestParams: masked(params),
    vnfcs: [
      vnfc('master', 1, '10.10.0.24'),
      ...Array.from({ length: workers }, (_, n) => vnfc('worker', n + 1, `10.10.0.${31 + n}`)),
    ],
    files: [],
    ...more,
  });
