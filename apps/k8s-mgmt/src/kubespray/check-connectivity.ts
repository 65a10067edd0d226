import type { ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { kubesprayParams } from './parameters.js';

/**
 * Refuses changes of addresses: kubespray has no playbook for them, and addresses stand in its inventory, in certificates and in the load balancer.
 */
export function checkConnectivity({ instance, instantiateParams }: ValidateRequest): ValidateReply {
  const reply: ValidateReply = { invalidParams: [], warnings: [], normalised: {} };
  const { master_node: master, worker_node: worker, external_lb_param: balancer } = kubesprayParams(instantiateParams);
  const used = [master, worker, ...(balancer === undefined ? [] : [balancer])].flatMap((of) => [
    of.ssh_cp_name,
    'nic_cp_name' in of ? of.nic_cp_name : undefined,
  ]);
  const moving = (instance?.connectivity?.cps ?? []).filter(({ cpdId, moves }) => moves && used.includes(cpdId));
  if (moving.length === 0) return reply;
  const names = moving.map(({ cpdId }) => cpdId).join(', ');
  const detail = `${names}: the inventory of kubespray, certificates and the balancer name the addresses there, and kubespray does not change them; leave it as it is connected, or make another cluster there`;
  return { ...reply, refusal: { code: 'cluster.kubespray-moves', detail } };
}
