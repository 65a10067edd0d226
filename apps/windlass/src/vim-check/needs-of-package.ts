import { RequestError, bytes, isJsonObject, wholeGibibytes, wholeMebibytes, type JsonObject } from '@windlass/foundation';
import { noNeeds, type Finding, type ImageNeed, type ServerNeed, type VimNeeds } from '@windlass/openstack';
import {
  bootedFrom,
  literal,
  objects,
  referredTo,
  resourcesOf,
  stackInput,
  type InstantiateData,
  type StackInput,
  type TemplateResource,
  type UserDataInput,
} from '@windlass/user-data';
import { flavorSize, mostInstances, type Flavour, type SoftwareImage } from '@windlass/vnf-package';
import { amountsOf, serverGroupsOf } from './amounts.js';
import { clusterFlows, clusterIn, cpNames, vipIn } from './kubernetes-flows.js';
import { balancerIn, kubesprayFlows } from './kubespray-flows.js';
import { networksOf, portsOf, templateGroupsOf } from './ports-of-templates.js';

/** What a VNF needs of a VIM, and what is wrong with the request or the templates by themselves. */
export interface PackageNeeds {
  needs: VimNeeds;
  findings: Finding[];
}

/** What a control plane must have before anything is installed (k8s-mgmt, inspect-nodes), and what any node must. */
const CONTROL_PLANE = { vcpus: 2, ramMiB: 1_700 };
const NODE_DISK_GIB = 4;
const NONE = bytes(0);
/** Stands for a flavor that is chosen by its size. */
const BY_SIZE = 'windlass: the smallest that is large enough';

/** @throws RequestError 400 for a request that could not be instantiated with, by the field */
export function needsOfPackage(flavour: Flavour, request: JsonObject): PackageNeeds {
  const flavorRefs = Object.fromEntries(
    flavour.vdus.flatMap(({ id, flavorName }) => (flavorName === undefined ? [[id, BY_SIZE]] : [])),
  );
  const input: UserDataInput = { flavour, request: request as InstantiateData, flavorRefs };
  const now = resourcesOf(stackInput(input));
  const most = resourcesOf(largest(input));
  const cluster = clusterIn(request) ?? (isCluster(flavour) ? {} : undefined);
  const servers = serversOf(flavour, cluster, now, most);
  const ports = portsOf(now);
  const groups = serverGroupsOf(now, most);
  const amounts = { now: amountsOf(now), most: amountsOf(most) };
  const volumes = (amounts.most.volumes ?? 0) > 0;
  const needs: VimNeeds = {
    ...noNeeds(),
    services: [...noNeeds().services, ...(volumes ? (['volume'] as const) : [])],
    resourceTypes: [...new Set(now.map(({ type }) => type))].filter((type) => /^(OS|AWS)::/.test(type)),
    networks: networksOf(now, cluster === undefined ? [] : nodePorts(now)),
    ports,
    groups: templateGroupsOf(now),
    images: imagesOf(flavour, now),
    servers,
    serverGroups: groups,
    amounts,
    showHosts: cluster !== undefined && groups.length > 0,
  };
  if (cluster === undefined) return { needs, findings: [] };
  return isBoundTo(flavour, KUBESPRAY) ? withKubespray(needs, cluster, now) : withCluster(needs, cluster, now);
}

/** The templates at the largest size that the VNFD allows; at the requested one where they do not allow it themselves. */
function largest(input: UserDataInput): StackInput {
  try {
    return stackInput({ ...input, vduCounts: mostInstances(input.flavour) });
  } catch (error) {
    if (error instanceof RequestError) return stackInput(input);
    throw error;
  }
}

const KUBESPRAY = 'mgmt-drivers-kubespray';

const isBoundTo = ({ lcmBindings }: Flavour, driver: string): boolean =>
  Object.values(lcmBindings).some(({ implementation }) => implementation === driver);

/** Whether a driver of clusters is what instantiates it. */
const isCluster = (flavour: Flavour): boolean => isBoundTo(flavour, 'mgmt-drivers-kubernetes') || isBoundTo(flavour, KUBESPRAY);

/** Links that connect all connection points to one network, where no request says how. */
export const linksTo = ({ cps }: Flavour, network: string): JsonObject[] => [
  { id: 'checked', resourceId: network, extCps: cps.filter(({ external }) => external).map(({ id }) => ({ cpdId: id })) },
];

function withCluster(needs: VimNeeds, cluster: JsonObject, resources: readonly TemplateResource[]): PackageNeeds {
  // Without a request any port may be a master's.
  const all = needs.ports.map(({ name }) => name);
  const of = (node: JsonObject[string] | undefined): string[] => (node === undefined ? all : cpNames(node));
  const [masters, workers] = [of(cluster.master_node), of(cluster.worker_node)];
  const vip = vipIn(cluster);
  const nic = masters[0];
  const masterPorts = resources.filter(({ type, name }) => type === 'OS::Neutron::Port' && name === nic);
  const severalMasters = masterPorts.reduce((sum, { count }) => sum + count, 0) > 1;
  const { network_addon: network } = cluster;
  const given = { ...(vip === undefined ? {} : { vip }), ...(network === undefined ? {} : { network }) };
  const flows = clusterFlows({ masters, workers, severalMasters, ...given });
  const findings = vip === undefined ? [] : masterPorts.slice(0, 1).map((port) => addressPairs(port, vip));
  const onOneNetwork = vip === undefined || nic === undefined ? [] : [{ port: vip, beside: nic }];
  return { needs: { ...needs, flows, onOneNetwork }, findings };
}

/** Of kubespray's driver: other ports than kubeadm's, and a load balancer on a VM of its own. */
function withKubespray(needs: VimNeeds, cluster: JsonObject, resources: readonly TemplateResource[]): PackageNeeds {
  const all = needs.ports.map(({ name }) => name);
  const of = (node: JsonObject[string] | undefined): string[] => (node === undefined ? all : cpNames(node));
  const [masters, workers] = [of(cluster.master_node), of(cluster.worker_node)];
  const balancer = balancerIn(cluster);
  const count = resources.reduce(
    (sum, { type, name, count: of }) => (type === 'OS::Neutron::Port' && name === masters[0] ? sum + of : sum),
    0,
  );
  const ports = { masters, workers, balancer: balancer === undefined ? [] : [balancer], severalMasters: count > 1 };
  return { needs: { ...needs, flows: kubesprayFlows(ports) }, findings: [] };
}

/** Neutron lets a port send only from its own address, unless it is told of the VIP. */
function addressPairs({ name, properties }: TemplateResource, vip: string): Finding {
  const told = { check: 'vip.address-pairs', subject: `${name}, ${vip}` };
  if (properties.port_security_enabled === false)
    return { ...told, status: 'ok', says: 'port security is off: any address passes' };
  const pairs = objects(properties.allowed_address_pairs);
  const allowed = pairs.some(({ ip_address: address }) => referredTo(address) === vip || literal(address) !== undefined);
  return allowed
    ? { ...told, status: 'ok', says: 'the template allows the virtual address on the masters’ ports' }
    : {
        ...told,
        status: 'failed',
        says: `the template does not allow the address of ${vip} on port ${name}: Neutron drops what the master that holds it sends`,
        todo: `in the master’s template: allowed_address_pairs: [{ip_address: <address of ${vip}>}] on ${name}, or port_security_enabled: false`,
      };
}

/** Names of ports that servers have: all but a virtual address. */
const nodePorts = (resources: readonly TemplateResource[]): string[] =>
  resources.filter(isServer).flatMap(({ name, path, properties }) => {
    const scope = path.slice(0, path.length - name.length);
    return [name, ...objects(properties.networks).flatMap(({ port }) => referredTo(port)?.slice(scope.length) ?? [])];
  });

const isServer = ({ type }: TemplateResource): boolean => type === 'OS::Nova::Server';

function serversOf(
  flavour: Flavour,
  cluster: JsonObject | undefined,
  now: readonly TemplateResource[],
  most: readonly TemplateResource[],
): ServerNeed[] {
  const masters = cluster === undefined ? [] : cpNames(cluster.master_node);
  const count = (all: readonly TemplateResource[], of: string): number =>
    all.filter((one) => isServer(one) && one.name === of).reduce((sum, one) => sum + one.count, 0);
  const named = new Map(now.filter(isServer).map((server) => [server.name, server]));
  return [...named].map(([name, { properties }]) => {
    const flavor = literal(properties.flavor);
    const image = bootedFrom(properties);
    const isMaster = flavour.cps.some(({ id, vduId }) => vduId === name && masters.includes(id));
    const vdu = flavour.vdus.find(({ id }) => id === name);
    const bySize = flavor === BY_SIZE;
    const size = bySize && vdu !== undefined ? flavorSize(flavour, vdu) : { vcpus: 0, ramMiB: 0, diskGiB: 0 };
    const [cpus, ram, disk] = [
      isMaster ? CONTROL_PLANE.vcpus : 0,
      isMaster ? CONTROL_PLANE.ramMiB : 0,
      cluster === undefined ? 0 : NODE_DISK_GIB,
    ];
    return {
      name,
      ...(flavor === undefined || bySize ? {} : { flavor }),
      ...(image === undefined ? {} : { image }),
      fromVolume: literal(properties.image) === undefined,
      now: count(now, name),
      most: count(most, name),
      least: {
        vcpus: Math.max(size.vcpus, cpus),
        ramMiB: Math.max(size.ramMiB, ram),
        diskGiB: Math.max(size.diskGiB, disk),
      },
    };
  });
}

function imagesOf(flavour: Flavour, resources: readonly TemplateResource[]): ImageNeed[] {
  const described = [...flavour.vdus, ...flavour.storages].flatMap(({ image }) => image ?? []);
  const needed = new Map<string, string[]>();
  for (const { name, type, properties } of resources) {
    const image =
      type === 'OS::Nova::Server'
        ? bootedFrom(properties)
        : type === 'OS::Cinder::Volume'
          ? literal(properties.image)
          : undefined;
    if (image !== undefined) needed.set(image, [...(needed.get(image) ?? []), name]);
  }
  return [...needed].map(([name, neededBy]) => {
    const image = described.find((one) => one.name === name);
    return {
      name,
      neededBy,
      carried: image !== undefined && isCarried(image),
      minDiskGiB: wholeGibibytes(image?.minDisk ?? NONE),
      minRamMiB: wholeMebibytes(image?.minRam ?? NONE),
      ...(image === undefined ? {} : { checksum: image.checksum }),
    };
  });
}

const isCarried = ({ file }: SoftwareImage): boolean => file?.kind === 'member' && file.present;

/** A request as a file has it. @throws RequestError 400 */
export function requestIn(text: string, file: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RequestError(400, 'cli.request', `${file} is no JSON: ${error instanceof Error ? error.message : ''}`);
  }
  if (isJsonObject(value)) return value;
  throw new RequestError(400, 'cli.request', `${file}: expected the object of an instantiate request`);
}
