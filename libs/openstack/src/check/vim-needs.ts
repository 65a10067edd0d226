import type { ServiceType } from '../session/service-catalog.js';

/** What a VNF will ask of a VIM, as far as its package, flavour and request say. An empty one asks for a login and the services. */
export interface VimNeeds {
  services: ServiceType[];
  /** Types of the templates' resources. */
  resourceTypes: string[];
  networks: NetworkNeed[];
  ports: PortNeed[];
  /** Ports that have to be on the network of another: a virtual address beside those who hold it. */
  onOneNetwork: { port: string; beside: string }[];
  /** Security groups that the templates make. */
  groups: TemplateGroup[];
  flows: Flow[];
  images: ImageNeed[];
  servers: ServerNeed[];
  serverGroups: ServerGroupNeed[];
  /** What is counted against quotas, but for what follows from flavors. */
  amounts: { now: Amounts; most: Amounts };
  /** The name of the compute host of a server has to be seen. */
  showHosts: boolean;
  /** How far the VIM's clock may be from ours. */
  clockDifferenceMs: number;
  /** Addresses that nodes are reached from, CIDR or single; empty: not known. */
  reachedFrom: string[];
}

export interface NetworkNeed {
  /** Name or id. */
  name: string;
  /** Connection points on it. */
  of: string[];
  /** Subnets that the request names. */
  subnets: string[];
  /** Addresses that the request fixes. */
  addresses: string[];
  /** Servers on it must reach repositories outside. */
  outward: boolean;
}

export interface PortNeed {
  /** Name of its resource: the connection point. */
  name: string;
  /** Name or id; absent where the template makes the network. */
  network?: string;
  /** Names or ids in the VIM; absent with no template groups either: the project's default one. */
  groups?: string[];
  /** Names of resources among {@link VimNeeds.groups}. */
  templateGroups: string[];
  portSecurity: boolean;
  /** Attributes that only the owner of a network may set, unless policy says otherwise: `allowed_address_pairs`. */
  ownersAttributes: string[];
}

/** A rule as Neutron has it. Absent: any. */
export interface SecurityRule {
  direction: 'ingress' | 'egress';
  ethertype: string;
  protocol?: string | undefined;
  min?: number | undefined;
  max?: number | undefined;
  prefix?: string | undefined;
  /** Id of a group in the VIM, or name of the resource of a template's. */
  remoteGroup?: string | undefined;
  /** Only what an address group has; its members are not looked up. */
  addressGroup?: string | undefined;
}

export interface TemplateGroup {
  name: string;
  rules: SecurityRule[];
}

/** Packets that have to pass. */
export interface Flow {
  /** `tcp-6443`, `vrrp` */
  name: string;
  /** `SSH`, for people. */
  what: string;
  protocol: string;
  min?: number;
  max?: number;
  direction: 'ingress' | 'egress';
  /** Other nodes, or what is outside of the VNF. */
  peer: 'nodes' | 'outside';
  /** Names of ports that it reaches, or leaves. */
  ports: string[];
  /** Names of ports of the nodes at its other end, where these are nodes. */
  peers: string[];
  /** False: something is lost without it, but the VNF comes up. */
  required: boolean;
}

export interface ImageNeed {
  /** Name or id in the VIM. */
  name: string;
  neededBy: string[];
  /** The package has its bytes: it is uploaded. */
  carried: boolean;
  minDiskGiB: number;
  minRamMiB: number;
  checksum?: { algorithm: string; hash: string };
}

export interface ServerNeed {
  /** The VDU. */
  name: string;
  /** Name or id. Absent: one has to be found that is large enough. */
  flavor?: string;
  image?: string;
  /** It boots from a volume: the flavor's disk does not count. */
  fromVolume: boolean;
  now: number;
  most: number;
  least: { vcpus: number; ramMiB: number; diskGiB: number };
}

export interface ServerGroupNeed {
  name: string;
  policy: string;
  now: number;
  most: number;
}

/** What a quota may limit. */
export const AMOUNTS = [
  'instances',
  'cores',
  'ram',
  'serverGroups',
  'networks',
  'subnets',
  'routers',
  'ports',
  'floatingIps',
  'securityGroups',
  'securityGroupRules',
  'volumes',
  'gigabytes',
] as const;

export type AmountName = (typeof AMOUNTS)[number];
export type Amounts = Partial<Record<AmountName, number>>;

/** Nothing but a login and the services that every VNF needs. */
export const noNeeds = (): VimNeeds => ({
  services: ['orchestration', 'compute', 'network', 'image'],
  resourceTypes: [],
  networks: [],
  ports: [],
  onOneNetwork: [],
  groups: [],
  flows: [],
  images: [],
  servers: [],
  serverGroups: [],
  amounts: { now: {}, most: {} },
  showHosts: false,
  clockDifferenceMs: 10_000,
  reachedFrom: [],
});
