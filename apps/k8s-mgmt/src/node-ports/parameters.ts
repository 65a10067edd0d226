import { params, paramsAs, schema, type Given } from '@windlass/driver-kit';
import type { JsonObject } from '@windlass/foundation';
import type { DriverDescription, NodePortService } from '@windlass/mgmt-driver';

const { needed, objectOf, path, sshMachineOf, text } = params;

/** Name of the driver's parameters in `additionalParams`, as in the reference system. */
export const LB_PARAM = 'lcm-kubernetes-external-lb';

const machine = sshMachineOf('The load balancer', { ssh_ip: needed(text('Its address, IPv4 or IPv6', '^[0-9A-Fa-f.:]{2,45}$')) });

/** `lcm-kubernetes-external-lb` */
export const nodePortLbSchema = objectOf(
  'The load balancer before the cluster, on which Services of the type NodePort are reached',
  {
    script_path: path('Script in the package that opens and closes ports there; Windlass does it unless given'),
    external_lb_param: needed(machine),
  },
);

/** `lcm-kubernetes-external-lb`, after the schema's check, secrets masked where they are shown so. */
export type NodePortLbParams = Given<typeof nodePortLbSchema> & {
  /** The Services with fixed ports in the manifests, as the check of the request was told them. Hooks see them before the objects exist. */
  node_ports?: NodePortService[];
};

/** `additionalParams` as steps get them, secrets and all. */
export interface WithNodePortLb {
  [LB_PARAM]: NodePortLbParams;
}

/** The driver's parameters, of which the schema found that they are there. */
export const nodePortLbParams = (additionalParams: JsonObject): NodePortLbParams =>
  paramsAs<WithNodePortLb>(additionalParams)[LB_PARAM];

/** The parameters of a request on an instance, which may give a new login. */
export const repeatedLbParams = (requestParams: JsonObject): NodePortLbParams | undefined =>
  paramsAs<Partial<WithNodePortLb>>(requestParams)[LB_PARAM];

/** JSON Schema (2020-12) of `additionalParams`. */
export const nodePortParameters: JsonObject = schema.parametersOf('mgmt-drivers-cnf-nodeport', LB_PARAM, nodePortLbSchema);

const repeated: JsonObject = {
  type: 'object',
  title: 'The login of the load balancer, for this operation',
  properties: { [LB_PARAM]: objectOf('The load balancer', { external_lb_param: needed(machine) }) },
};

/** `additionalParams` of operations on an instance. */
export const nodePortOperationParameters: NonNullable<DriverDescription['operationParameters']> = {
  HEAL: repeated,
  TERMINATE: repeated,
};
