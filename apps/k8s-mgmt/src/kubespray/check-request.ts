import { isIP } from 'node:net';
import { formatCidr, RequestCheck, type Cidr } from '@windlass/driver-kit';
import { GIVE_ANEW } from '@windlass/foundation';
import type { KeptRange, ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { defaultVimName } from '../cluster/vim/vim-name.js';
import { checkExternalLb } from '../external-lb/parameters.js';
import { movedBalancer } from '../external-lb/steps.js';
import { mastersAmong } from '../kubeadm/checks/check-operation.js';
import { PARAM } from '../parameters/of-clusters.js';
import { notDoneByKubespray } from './not-done-by-kubespray.js';
import { kubesprayParams, kubespraySchema, repeatedParams, type KubesprayParams, type NodeGroup } from './parameters.js';

/** Prefix lengths that kubespray can work with: each node gets a /24 of the pods' addresses. */
const PREFIXES = {
  pod_cidr: { from: 8, to: 23 },
  cluster_cidr: { from: 12, to: 28 },
  k8s_node_cidr: { from: 8, to: 32 },
} as const;

/** kubespray's own ranges: where a request gives one of the two, the other is this. */
const KUBESPRAY = { pods: '10.233.64.0/18', services: '10.233.0.0/18' } as const;

const NO_SERVER =
  'is missing: kubespray’s playbooks run on an Ansible server of yours. Give its ip_address, username, password or private_key, kubespray_root_path and transferring_inventory_path; a cluster without one is made by the driver mgmt-drivers-kubernetes';

/** The meaning of an instantiation's parameters, which the schema found well-formed. Pure. */
export function checkInstantiation(request: ValidateRequest): ValidateReply {
  const check = new RequestCheck(request, PARAM);
  const params = kubesprayParams(request.requestParams);
  check.unknownNames(kubespraySchema);
  if ((params.script_path ?? '') !== '')
    check.warn(`script_path ${params.script_path} is not read: kubespray installs this cluster`);
  checkAnsible(check, params);
  checkLogins(check, params);
  checkExternalLb(check, request, checkGroups(check, params, request));
  const ranges = checkRanges(check, params);
  const found = check.reply();
  const reply = { ...found, invalidParams: [...notDoneByKubespray(request.requestParams), ...found.invalidParams] };
  if (reply.invalidParams.length > 0) return reply;
  const name = params.vim_name ?? defaultVimName(request.vnfInstanceId);
  return { ...reply, ranges, vimNames: [{ path: `/additionalParams/${PARAM}/vim_name`, name }] };
}

/** The document has `ansible` 0..1, but without a server nothing could run the playbooks. */
function checkAnsible(check: RequestCheck, { ansible }: Partial<KubesprayParams>): void {
  if (ansible === undefined) {
    check.wrong('/ansible', NO_SERVER);
    return;
  }
  check.user('/ansible/username', ansible.username);
  const fault = addressFault(ansible.ip_address);
  if (fault !== undefined) check.wrong('/ansible/ip_address', fault);
}

function addressFault(address: string): string | undefined {
  if (isIP(address) === 0) return `${address} is no IP address; one such as 192.0.2.10 was expected`;
  if (!/^(0\.|22[4-9]\.|23\d\.|::$)/.test(address)) return undefined;
  return `${address} is the address of no host: it was left as a placeholder?`;
}

/** Refuses keys with a passphrase: Ansible hands a key to ssh, which has nobody to ask. */
function checkLogins(check: RequestCheck, { master_node: master, worker_node: worker }: KubesprayParams): void {
  for (const [field, group] of Object.entries({ master_node: master, worker_node: worker })) {
    check.user(`/${field}/username`, group.username);
    if (group.passphrase !== undefined)
      check.wrong(
        `/${field}/passphrase`,
        'Ansible logs in to nodes by keys without a passphrase: give such a key, or a password',
      );
  }
}

/** The VDUs of masters and workers, those that are known. */
function checkGroups(check: RequestCheck, params: KubesprayParams, { countsAfter = {} }: ValidateRequest): string[] {
  const vduOf = (field: 'master_node' | 'worker_node'): string | undefined => {
    const group: NodeGroup = params[field];
    if (group.nic_cp_name === undefined) check.take(`/${field}`, 'nic_cp_name', group.ssh_cp_name);
    return check.groupVdu(`/${field}`, { ...group, nic_cp_name: group.nic_cp_name ?? group.ssh_cp_name });
  };
  const [master, worker] = [vduOf('master_node'), vduOf('worker_node')];
  const vdus = [master, worker].filter((vdu) => vdu !== undefined);
  if (master === undefined) return vdus;
  if (master === worker)
    check.wrong('/worker_node/ssh_cp_name', `belongs to VDU ${worker}, as the master's does: a VDU is either masters or workers`);
  const masters = countsAfter[master] ?? 1;
  if (masters % 2 === 0)
    check.wrong(
      '/master_node/aspect_id',
      `the request makes ${masters} masters: etcd survives no more losses with ${masters} than with ${masters - 1}; an odd number was expected`,
    );
  if (masters > 1 && params.external_lb_param === undefined)
    check.warn(
      `the cluster's VIM is the first of its ${masters} masters: with external_lb_param it is a load balancer before all of them`,
    );
  return vdus;
}

/** @returns the ranges that the request gives; where it gives none, kubespray's settings on its server decide */
function checkRanges(check: RequestCheck, { master_node: master, proxy }: KubesprayParams): KeptRange[] {
  const range = (object: '/master_node' | '/proxy', field: keyof typeof PREFIXES, text: string | undefined): Cidr | undefined =>
    text === undefined ? undefined : check.range(object, field, text, PREFIXES[field]);
  const { pod_cidr: pods, cluster_cidr: services } = master;
  const podRange = range('/master_node', 'pod_cidr', pods ?? (services === undefined ? undefined : KUBESPRAY.pods));
  const serviceRange = range('/master_node', 'cluster_cidr', services ?? (pods === undefined ? undefined : KUBESPRAY.services));
  const nodes = range('/proxy', 'k8s_node_cidr', proxy?.k8s_node_cidr);
  check.apart('/master_node/cluster_cidr', serviceRange, podRange, 'pod_cidr');
  check.apart('/proxy/k8s_node_cidr', nodes, podRange, 'pod_cidr');
  check.apart('/proxy/k8s_node_cidr', nodes, serviceRange, 'cluster_cidr');
  const kept = (name: string, cidr: Cidr | undefined): KeptRange[] =>
    cidr === undefined ? [] : [{ path: `/additionalParams/${PARAM}/master_node/${name}`, name, cidr: formatCidr(cidr) }];
  return [...kept('pod_cidr', podRange), ...kept('cluster_cidr', serviceRange)];
}

/**
 * Adds the check of logins. An Ansible server learns the logins of the cluster's nodes: a server that differs from the instantiation's learns only
 * logins that the request itself gives.
 */
const withLoginsFor =
  (check: (request: ValidateRequest) => ValidateReply) =>
  (request: ValidateRequest): ValidateReply => {
    const reply = check(request);
    const passedOver = notDoneByKubespray(request.requestParams);
    const faults = [...passedOver, ...serverFaults(request), ...loginsToGiveAnew(request)];
    const invalidParams = [...faults, ...reply.invalidParams];
    return { ...reply, invalidParams, warnings: [...reply.warnings, ...folderThatStays(request)] };
  };

/**
 * A warning that a folder stays on the Ansible server. The login of a server that only one operation names is not kept, so TERMINATE can't remove the
 * folder there.
 */
function folderThatStays({ instantiateParams, requestParams, vnfInstanceId }: ValidateRequest): string[] {
  const folderOf = ({ ip_address: server, transferring_inventory_path: path }: KubesprayParams['ansible']): string =>
    `windlass-${vnfInstanceId} under ${path} on the Ansible server ${server}`;
  const { ansible: before } = kubesprayParams(instantiateParams);
  const { ansible = before } = repeatedParams(requestParams);
  if (folderOf(ansible) === folderOf(before)) return [];
  return [
    `the folder ${folderOf(ansible)} is for this operation, and TERMINATE removes ${folderOf(before)} alone: remove it there by hand`,
  ];
}

/** Faults of the Ansible server that the request names for its operation. */
function serverFaults({ requestParams }: ValidateRequest): ValidateReply['invalidParams'] {
  const { ansible } = repeatedParams(requestParams);
  const fault = ansible === undefined ? undefined : addressFault(ansible.ip_address);
  return fault === undefined ? [] : [{ path: `/additionalParams/${PARAM}/ansible/ip_address`, reason: fault }];
}

function loginsToGiveAnew({ instantiateParams, requestParams }: ValidateRequest): ValidateReply['invalidParams'] {
  const before = kubesprayParams(instantiateParams);
  const repeated = repeatedParams(requestParams);
  if (repeated.ansible === undefined || repeated.ansible.ip_address === before.ansible.ip_address) return [];
  return (['master_node', 'worker_node'] as const).flatMap((group) => {
    const secrets = (['password', 'private_key'] as const).filter((name) => before[group][name] !== undefined);
    const given = (['password', 'private_key'] as const).some(
      (name) => repeated[group]?.[name] !== undefined || requestParams[`${group}_${name}`] !== undefined,
    );
    if (given) return [];
    return secrets.map((name) => ({ path: `/additionalParams/${PARAM}/${group}/${name}`, reason: GIVE_ANEW }));
  });
}

/** Workers may scale. Masters may not: kubespray's scale.yml adds none. */
export const checkScale = withLoginsFor(({ request = {}, instantiateParams }) => {
  const { aspect_id: aspect } = kubesprayParams(instantiateParams).master_node;
  if (aspect === undefined || request.aspectId !== aspect) return { invalidParams: [], warnings: [], normalised: {} };
  return mastersStay('/aspectId', `"${aspect}" is the masters'`);
});

/** As {@link checkScale}, for the numbers that result from a level. */
export const checkScaleToLevel = withLoginsFor(({ request = {}, instance, countsAfter = {}, instantiateParams }) => {
  const masters = mastersAmong(instance?.vnfcs ?? [], instantiateParams);
  const [master] = masters;
  const wanted = master === undefined ? undefined : countsAfter[master.vduId];
  if (wanted === undefined || wanted === masters.length) return { invalidParams: [], warnings: [], normalised: {} };
  const path = request.instantiationLevelId === undefined ? '/scaleInfo' : '/instantiationLevelId';
  return mastersStay(path, `would make ${wanted} masters of ${masters.length}`);
});

const mastersStay = (path: string, what: string): ValidateReply => ({
  invalidParams: [{ path, reason: `${what}: of clusters that kubespray made, workers alone scale` }],
  warnings: [],
  normalised: {},
});

/** Refuses the heal of a master: kubespray has no playbook that replaces one. */
export const checkHeal = withLoginsFor(({ instance, instantiateParams }) => {
  const fine = { invalidParams: [], warnings: [], normalised: {} };
  if (instance?.heal === undefined || instance.heal.whole) return fine;
  const moved = movedBalancer(instantiateParams, instance);
  if (moved !== undefined) return { ...fine, refusal: { code: 'external-lb.moved', detail: moved } };
  const { vnfcIds } = instance.heal;
  const masters = mastersAmong(instance.vnfcs, instantiateParams).filter(({ id }) => vnfcIds.includes(id));
  if (masters.length === 0) return fine;
  const names = masters.map(({ name }) => name).join(', ');
  const detail = `${names} ${masters.length === 1 ? 'is a master' : 'are masters'} that kubespray made, and kubespray has no playbook for the healing of one: heal workers, or the whole (name no VNFC), which makes the cluster anew`;
  return { ...fine, refusal: { code: 'cluster.kubespray-master', detail } };
});
