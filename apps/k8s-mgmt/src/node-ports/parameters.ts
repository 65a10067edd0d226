import { paramsAs, schema, type SshLogin } from '@windlass/driver-kit';
import type { JsonObject } from '@windlass/foundation';
import type { DriverDescription, NodePortService } from '@windlass/mgmt-driver';

/** Name of the driver's parameters in `additionalParams`, as in the reference system. */
export const LB_PARAM = 'lcm-kubernetes-external-lb';

/** `lcm-kubernetes-external-lb`, after the schema's check, secrets masked where they are shown so. */
export interface NodePortLbParams {
  /** In the package; ours does its work where none is named. */
  script_path?: string;
  external_lb_param: SshLogin & { ssh_ip: string };
  /** What the manifests have, as the check of the request was told it: hooks see it before the objects are there. */
  node_ports?: NodePortService[];
}

/** `additionalParams` as steps get them, secrets and all. */
export interface WithNodePortLb {
  [LB_PARAM]: NodePortLbParams;
}

/** The driver's parameters, of which the schema found that they are there. */
export const nodePortLbParams = (additionalParams: JsonObject): NodePortLbParams =>
  paramsAs<WithNodePortLb>(additionalParams)[LB_PARAM];

/** Those of a request on an instance, which may give the login anew. */
export const repeatedLbParams = (requestParams: JsonObject): NodePortLbParams | undefined =>
  paramsAs<Partial<WithNodePortLb>>(requestParams)[LB_PARAM];

const machine = schema.machineOf(
  'The load balancer',
  { ssh_ip: schema.text('Its address, IPv4 or IPv6', '^[0-9A-Fa-f.:]{2,45}$') },
  ['ssh_ip'],
  'ssh_',
);

/** `lcm-kubernetes-external-lb` */
export const nodePortLbSchema: JsonObject = schema.objectOf(
  'The load balancer before the cluster, on which Services of the type NodePort are reached',
  {
    script_path: schema.path('Script in the package that opens and closes ports there; Windlass does it unless given'),
    external_lb_param: machine,
  },
  ['external_lb_param'],
);

/** JSON Schema (2020-12) of `additionalParams`. */
export const nodePortParameters: JsonObject = schema.parametersOf('mgmt-drivers-cnf-nodeport', LB_PARAM, nodePortLbSchema);

const repeated: JsonObject = {
  type: 'object',
  title: 'The login of the load balancer, for this operation',
  properties: { [LB_PARAM]: schema.objectOf('The load balancer', { external_lb_param: machine }, ['external_lb_param']) },
};

/** `additionalParams` of operations on an instance. */
export const nodePortOperationParameters: NonNullable<DriverDescription['operationParameters']> = {
  HEAL: repeated,
  TERMINATE: repeated,
};
