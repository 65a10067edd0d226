import { isIP } from 'node:net';
import { RequestCheck } from '@windlass/driver-kit';
import { toJson } from '@windlass/foundation';
import type { ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { chooseScript } from '../packaged-script/script-choice.js';
import { EXTERNAL_LB_PORT } from '../external-lb/haproxy.js';
import { LB_PARAM, nodePortLbParams, nodePortLbSchema, repeatedLbParams } from './parameters.js';

/** Where the manifests are named. */
const DEF_FILES = '/additionalParams/lcm-kubernetes-def-files';

/** What the schema can't say of a request to instantiate. */
export function checkInstantiation(request: ValidateRequest): ValidateReply {
  const check = new RequestCheck(request, LB_PARAM);
  const { script_path: path, external_lb_param: machine } = nodePortLbParams(request.requestParams);
  check.unknownNames(nodePortLbSchema);
  if (isIP(machine.ssh_ip) === 0)
    check.wrong('/external_lb_param/ssh_ip', `"${machine.ssh_ip}" is no IP address: that of the load balancer was expected`);
  check.user('/external_lb_param/ssh_username', machine.ssh_username);
  if (path !== undefined && check.file('/script_path', path) !== undefined) {
    const choice = chooseScript(path, request.files);
    check.warn(
      choice?.kind === 'builtin'
        ? `${path} is not run: ${choice.why}; Windlass's own actions open the ports`
        : `${path} of the package is run on the load balancer, as the user who logs in`,
    );
  }
  const { nodePorts } = request;
  if (nodePorts === undefined) return check.reply();
  check.take('', 'node_ports', toJson(nodePorts));
  const reason = faultOf(nodePorts);
  for (const { namespace, name, ports } of nodePorts) {
    const others = [...new Set(ports.map(({ protocol }) => protocol))].filter((protocol) => protocol !== 'TCP');
    if (others.length > 0)
      check.warn(`ports of ${others.join(' and ')} of the Service ${namespace}/${name} are not passed on by the load balancer`);
  }
  const reply = check.reply();
  return reason === undefined ? reply : { ...reply, invalidParams: [...reply.invalidParams, { path: DEF_FILES, reason }] };
}

function faultOf(services: NonNullable<ValidateRequest['nodePorts']>): string | undefined {
  const tcp = services.flatMap(({ namespace, name, ports }) =>
    ports.filter(({ protocol }) => protocol === 'TCP').map(({ nodePort }) => ({ service: `${namespace}/${name}`, nodePort })),
  );
  if (tcp.length === 0)
    return 'none of the manifests has a Service of the type NodePort with a port of TCP: the load balancer has nothing to pass on';
  const ofApi = tcp.find(({ nodePort }) => nodePort === EXTERNAL_LB_PORT);
  return ofApi === undefined
    ? undefined
    : `the Service ${ofApi.service} has the nodePort ${EXTERNAL_LB_PORT}, at which the load balancer has the API of the cluster: take another`;
}

/** Checks that a login given in the request is for the same machine. */
export function checkOperation(request: ValidateRequest): ValidateReply {
  const check = new RequestCheck(request, LB_PARAM);
  const given = repeatedLbParams(request.requestParams)?.external_lb_param;
  const { ssh_ip: address } = nodePortLbParams(request.instantiateParams).external_lb_param;
  if (given !== undefined) {
    if (given.ssh_ip !== address)
      check.wrong(
        '/external_lb_param/ssh_ip',
        `is ${given.ssh_ip}; ${address} was expected, where the ports of this VNF are open`,
      );
    check.user('/external_lb_param/ssh_username', given.ssh_username);
  }
  return check.reply();
}
