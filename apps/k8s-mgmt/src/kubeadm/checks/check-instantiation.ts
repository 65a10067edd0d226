import { formatCidr, paramsAs, RequestCheck, type Cidr } from '@windlass/driver-kit';
import type { JsonObject } from '@windlass/foundation';
import type { KeptRange, ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { DEFAULT_NODE_PREFIX, LONGEST_NODE_PREFIX, nodePrefixes, podsOf } from '../../cluster/pod-addresses.js';
import { chooseScript } from '../../packaged-script/script-choice.js';
import { kubernetesMinor } from '../../settings/kubernetes-versions.js';
import type { K8sMgmtSettings } from '../../settings/settings.js';
import {
  clusterParams,
  clusterSchema,
  DEFAULT_POD_CIDR,
  DEFAULT_SERVICE_CIDR,
  PARAM,
  type ClusterParams,
} from '../parameters/parameters.js';
import { checkRegistries } from '../parameters/registries.js';
import { warningOfEven } from '../steps/leaving-masters.js';
import { addressesInRanges, unfilledIn, type ClusterRanges } from './check-addresses.js';
import { refusalOfImages } from './check-images.js';
import { checkNetwork } from './check-network.js';
import { checkStorage } from './check-storage.js';

/** What a release to come will do; the schema knows the fields already. */
const NOT_YET: Readonly<Record<string, string>> = {
  helm_installation_script_path: 'installing Helm',
};

/** Prefix lengths that kubeadm and the controller manager can work with. */
const PREFIXES = {
  pod_cidr: { from: 8, to: LONGEST_NODE_PREFIX },
  // kubeadm: at most 20 bits of addresses, at least ten of them.
  cluster_cidr: { from: 12, to: 28 },
  k8s_node_cidr: { from: 8, to: 32 },
} as const;

/** The meaning of an instantiation's parameters, which the schema found well-formed. Pure. */
export function checkInstantiation(request: ValidateRequest, settings: K8sMgmtSettings): ValidateReply {
  const check = new RequestCheck(request, PARAM);
  const params = clusterParams(request.requestParams);
  const given = paramsAs<Record<string, JsonObject>>(request.requestParams)[PARAM] ?? {};
  for (const pointer of unfilledIn(given))
    check.wrong(pointer, 'has a ${...} in it that nobody has filled in: give the value in its place');
  checkNames(check, given);
  checkScript(check, params, request, settings);
  checkRegistries(check, params);
  checkNetwork(check, params, request, settings);
  const vdus = checkConnectionPoints(check, params, request);
  checkStorage(check, params, request, vdus);
  const ranges = checkRanges(check, params);
  const { pod_cidr: pods } = ranges;
  const most = vdus.reduce((nodes, vdu) => nodes + (request.flavour.mostVnfcs[vdu] ?? 1), 0);
  // A packaged script decides itself what it can install on.
  const isBuiltin = chooseScript(params.script_path, request.files)?.kind === 'builtin';
  if (pods !== undefined && isBuiltin) checkNodePrefix(check, params, pods, most);
  const refusal = isBuiltin ? refusalOfImages(request, vdus) : undefined;
  const [, worker] = vdus;
  // Workers that are kept apart are labelled with their compute hosts, which by default only administrators see.
  const isApart = worker !== undefined && request.flavour.apart?.includes(worker) === true;
  const reply = check.reply();
  const invalidParams = [...reply.invalidParams, ...addressesInRanges(request.request ?? {}, ranges)];
  return {
    ...reply,
    invalidParams,
    ranges: keptRanges(ranges),
    ipv4Cps: ipv4Cps(params),
    ...(refusal === undefined ? {} : { refusal }),
    ...(isApart ? { needs: ['compute-host'] } : {}),
  };
}

function checkNames(check: RequestCheck, params: JsonObject): void {
  for (const [field, what] of Object.entries(NOT_YET)) {
    if (params[field] === undefined) continue;
    check.wrong(`/${field}`, `this release does not do ${what} yet: leave ${field} out`);
  }
  check.unknownNames(clusterSchema);
}

function checkScript(check: RequestCheck, params: ClusterParams, { files }: ValidateRequest, settings: K8sMgmtSettings): void {
  const { script_path: path, worker_node: worker, master_node: master } = params;
  const file = check.file('/script_path', path);
  const choice = chooseScript(path, files);
  if (file !== undefined && choice?.kind === 'builtin')
    check.warn(`${file.path} is not run: ${choice.why}; Windlass's own actions install Kubernetes ${settings.kubernetesVersion}`);
  if (choice?.kind === 'builtin') checkRuntime(check, settings);
  else if (file !== undefined) check.warn(`${file.path} of the package is run on every node, as the user who logs in`);
  if (choice?.kind === 'packaged' && params.image_repository !== undefined)
    check.warn(
      `image_repository is not told to ${path}, which decides by itself where its images come of; the pods that try the cluster take theirs from there`,
    );
  check.user('/master_node/username', master.username);
  check.user('/worker_node/username', worker.username);
}

/** Checks the container runtime. The nodes' own containerd may be old (Debian 12's is 1.6), and its version is known only on the nodes. */
function checkRuntime(check: RequestCheck, { kubernetesVersion, containerdSource }: K8sMgmtSettings): void {
  const { lastWithContainerd1, leastContainerd } = kubernetesMinor(kubernetesVersion);
  if (containerdSource !== undefined || (lastWithContainerd1 === undefined && leastContainerd === 1)) return;
  const what =
    leastContainerd === 1
      ? 'is the last that works with containerd 1.x'
      : `works with containerd ${leastContainerd}.0 or newer alone`;
  check.warn(
    `Kubernetes ${kubernetesVersion} ${what}, and nodes get their distribution's (Debian 12: 1.6): the operator can name another source by CONTAINERD_APT_SOURCE`,
  );
}

/** The VDUs that the nodes are of. */
function checkConnectionPoints(check: RequestCheck, params: ClusterParams, request: ValidateRequest): string[] {
  const master = check.groupVdu('/master_node', params.master_node);
  const worker = check.groupVdu('/worker_node', params.worker_node);
  if (master !== undefined && master === worker)
    check.wrong('/worker_node/ssh_cp_name', `belongs to VDU ${worker}, as the master's does: a VDU is either masters or workers`);
  const vdus = [master, worker].filter((vdu) => vdu !== undefined);
  if (master !== undefined) checkMasters(check, params, request, master);
  checkFloatingIp(check, params, request);
  return vdus;
}

/** One master has the cluster's address by itself; several share a port of the VNF's, which need not be a CP of the VNFD. */
function checkMasters(
  check: RequestCheck,
  {
    master_node: { aspect_id: aspect, vdu_id: named, cluster_cp_name: name, ssh_cp_name: ssh, cluster_fip_name: fip },
  }: ClusterParams,
  { flavour, countsAfter = {} }: ValidateRequest,
  vdu: string,
): void {
  const cp = flavour.cps.find(({ id }) => id === name);
  const masters = countsAfter[vdu] ?? 1;
  if (masters === 1) {
    if (cp?.vdu === vdu) return;
    const whose =
      cp === undefined
        ? `flavour ${flavour.id} has no CP ${name}`
        : `CP ${name} belongs to ${cp.vdu === null ? 'no VDU' : `VDU ${cp.vdu}`}`;
    check.wrong('/master_node/cluster_cp_name', `${whose}; with one master it must be a CP of VDU ${vdu}`);
    return;
  }
  const even = warningOfEven(masters);
  if (masters === 2)
    check.wrong(
      '/master_node/aspect_id',
      'the request makes 2 masters, and etcd stands no loss then: one, or three or more were expected',
    );
  else if (even !== undefined) check.warn(`the request makes ${even}`);
  if (aspect === undefined && named === undefined)
    check.wrong('/master_node/aspect_id', `is missing: the request makes ${masters} masters, and their group is known by it`);
  if (cp !== undefined && cp.vdu !== null)
    check.wrong(
      '/master_node/cluster_cp_name',
      `CP ${name} belongs to VDU ${cp.vdu}: ${masters} masters share the address of a port that belongs to none`,
    );
  const isFloating = flavour.floating?.includes(ssh) === true || flavour.floatingIps?.some(({ id }) => id === ssh) === true;
  if (isFloating && fip === undefined)
    check.wrong(
      '/master_node/cluster_fip_name',
      `is missing: the templates give ${ssh} a floating IP, by which the masters are reached from outside, and the cluster needs one, too`,
    );
}

/** Without the floating IP's resource, the VIM would be registered at the inner address, which nobody outside reaches. */
function checkFloatingIp(
  check: RequestCheck,
  { master_node: { cluster_fip_name: name } }: ClusterParams,
  { flavour }: ValidateRequest,
): void {
  const { floatingIps, sharedPorts = [], cps } = flavour;
  // A package that an earlier release onboarded says nothing of them.
  if (name === undefined || floatingIps === undefined) return;
  const known = floatingIps.map(({ id }) => id);
  if ([...known, ...sharedPorts, ...cps.map(({ id }) => id)].includes(name)) return;
  const others = known.join(', ') || 'none';
  check.wrong(
    '/master_node/cluster_fip_name',
    `the templates of flavour ${flavour.id} have no floating IP and no port ${name}; their floating IPs: ${others}. Name one, or leave the field out`,
  );
}

/** The ranges, each with the field that chooses it, even where the field's default counts. */
const keptRanges = (ranges: ClusterRanges): KeptRange[] =>
  Object.entries(ranges).flatMap(([name, range]) =>
    range === undefined ? [] : [{ path: `/additionalParams/${PARAM}/master_node/${name}`, name, cidr: formatCidr(range) }],
  );

/** The CPs by whose addresses nodes and their API server are known: the cluster is one of IPv4. */
const ipv4Cps = ({ master_node: master, worker_node: worker }: ClusterParams): string[] => [
  ...new Set([master.nic_cp_name, master.cluster_cp_name, worker.nic_cp_name]),
];

/** The pods' range and the services', where they are some. */
function checkRanges(check: RequestCheck, { master_node: master, proxy }: ClusterParams): ClusterRanges {
  const range = (object: '/master_node' | '/proxy', field: keyof typeof PREFIXES, text: string) =>
    check.range(object, field, text, PREFIXES[field]);
  const pods = range('/master_node', 'pod_cidr', master.pod_cidr ?? DEFAULT_POD_CIDR);
  const services = range('/master_node', 'cluster_cidr', master.cluster_cidr ?? DEFAULT_SERVICE_CIDR);
  const nodes = proxy?.k8s_node_cidr === undefined ? undefined : range('/proxy', 'k8s_node_cidr', proxy.k8s_node_cidr);
  check.apart('/master_node/cluster_cidr', services, pods, 'pod_cidr');
  check.apart('/proxy/k8s_node_cidr', nodes, pods, 'pod_cidr');
  check.apart('/proxy/k8s_node_cidr', nodes, services, 'cluster_cidr');
  return { pod_cidr: pods, cluster_cidr: services };
}

/**
 * The prefix length of a node's range in the pods' range, such that the flavour's last node gets a range too. It stays for the cluster's life, and so
 * is written into the parameters. Not for a packaged script, which decides it by itself.
 */
function checkNodePrefix(check: RequestCheck, { master_node: master }: ClusterParams, pods: Cidr, nodes: number): void {
  const { from, to } = nodePrefixes(pods.prefix, nodes);
  const given = master.pod_node_prefix;
  const room = `the flavour can have ${nodes} nodes`;
  if (from > to) {
    const least = LONGEST_NODE_PREFIX - (from - pods.prefix);
    const why = `${room}, and each takes at least a /${LONGEST_NODE_PREFIX} of the pods' addresses: give a /${least}, or a shorter prefix`;
    check.wrong('/master_node/pod_cidr', `${formatCidr(pods)} is too small: ${why}`);
  } else if (given !== undefined && (given < from || given > to)) {
    const expected = `${room}, so a prefix length from ${from} to ${to} was expected for pod_cidr ${formatCidr(pods)}`;
    check.wrong('/master_node/pod_node_prefix', `is ${given}: ${expected}`);
  } else if (given === undefined && from > DEFAULT_NODE_PREFIX) {
    check.take('/master_node', 'pod_node_prefix', from);
    check.warn(`${room}: each gets a /${from} of pod_cidr ${formatCidr(pods)}, addresses for ${podsOf(from)} pods`);
  }
}
