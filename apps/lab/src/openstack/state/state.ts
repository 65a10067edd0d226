import type { Json, JsonObject } from '@windlass/foundation';

/** Everything the emulated cloud knows: plain data, so that it can be kept in a file. Ids are the keys. */
export interface CloudState {
  projects: Map<string, Project>;
  users: Map<string, User>;
  credentials: Map<string, ApplicationCredential>;
  tokens: Map<string, Token>;
  images: Map<string, Image>;
  flavors: Map<string, Flavor>;
  servers: Map<string, Server>;
  serverGroups: Map<string, ServerGroup>;
  keyPairs: Map<string, KeyPair>;
  networks: Map<string, Network>;
  subnets: Map<string, Subnet>;
  ports: Map<string, Port>;
  floatingIps: Map<string, FloatingIp>;
  securityGroups: Map<string, SecurityGroup>;
  routers: Map<string, Router>;
  /** What administrators set otherwise than the services' defaults, by `service/project`. */
  quotas: Map<string, Record<string, number>>;
  volumes: Map<string, Volume>;
  stacks: Map<string, Stack>;
}

export interface Project {
  id: string;
  name: string;
}

export interface User {
  id: string;
  name: string;
  password: string;
  /** Role names by project id. */
  roles: Record<string, string[]>;
}

export interface ApplicationCredential {
  id: string;
  name: string;
  secret: string;
  userId: string;
  projectId: string;
}

export interface Token {
  id: string;
  userId: string;
  projectId: string | null;
  method: string;
  auditId: string;
  /** Milliseconds since 1970. */
  issuedAt: number;
  expiresAt: number;
}

export interface Image {
  id: string;
  name: string | null;
  owner: string;
  status: 'queued' | 'saving' | 'importing' | 'active' | 'killed';
  visibility: string;
  diskFormat: string | null;
  containerFormat: string | null;
  size: number | null;
  checksum: string | null;
  sha512: string | null;
  minDisk: number;
  minRam: number;
  protected: boolean;
  hidden: boolean;
  tags: string[];
  extra: Record<string, string>;
  createdAt: string;
  updatedAt: string;
}

export interface Flavor {
  id: string;
  name: string;
  ram: number;
  vcpus: number;
  disk: number;
  ephemeral: number;
  swap: number;
  isPublic: boolean;
  extraSpecs: Record<string, string>;
}

export interface Server {
  id: string;
  name: string;
  projectId: string;
  userId: string;
  status: 'BUILD' | 'ACTIVE' | 'SHUTOFF' | 'REBOOT' | 'HARD_REBOOT' | 'REBUILD' | 'ERROR';
  host: string | null;
  zone: string;
  flavorId: string;
  flavorName: string;
  /** Null when the server boots from a volume. */
  imageId: string | null;
  /** Name of the image that the machine is made of, the boot volume's too. */
  imageName: string;
  keyName: string | null;
  userData: string | null;
  metadata: Record<string, string>;
  tags: string[];
  groupId: string | null;
  configDrive: string;
  /** In the order of the network cards. */
  portIds: string[];
  /** Ports that Nova made itself and deletes with the server. */
  ownPortIds: string[];
  volumes: { volumeId: string; device: string; deleteOnTermination: boolean }[];
  securityGroups: string[];
  fault: { code: number; message: string; created: string } | null;
  number: number;
  created: string;
  updated: string;
  launchedAt: string | null;
}

export interface ServerGroup {
  id: string;
  name: string;
  policy: string;
  projectId: string;
  userId: string;
}

export interface KeyPair {
  /** `user id/name`. */
  id: string;
  name: string;
  userId: string;
  publicKey: string;
  fingerprint: string;
  createdAt: string;
}

export interface Network {
  id: string;
  name: string;
  projectId: string;
  shared: boolean;
  external: boolean;
  adminStateUp: boolean;
  portSecurity: boolean;
  description: string;
  tags: string[];
  createdAt: string;
  updatedAt: string;
  revision: number;
}

export interface Subnet {
  id: string;
  name: string;
  networkId: string;
  projectId: string;
  cidr: string;
  gatewayIp: string | null;
  pools: { start: string; end: string }[];
  enableDhcp: boolean;
  dnsNameservers: string[];
  hostRoutes: JsonObject[];
  description: string;
  tags: string[];
  createdAt: string;
  updatedAt: string;
  /** The address that was given last; the next search begins behind it, so that an address is not used again at once. */
  lastGiven: string | null;
}

export interface FixedIp {
  subnet_id: string;
  ip_address: string;
}

export interface AddressPair {
  mac_address: string;
  ip_address: string;
}

export interface Port {
  id: string;
  name: string;
  networkId: string;
  projectId: string;
  mac: string;
  adminStateUp: boolean;
  deviceId: string;
  deviceOwner: string;
  fixedIps: FixedIp[];
  addressPairs: AddressPair[];
  securityGroups: string[];
  portSecurity: boolean;
  vnicType: string;
  /** The compute host of its server. */
  host: string;
  description: string;
  tags: string[];
  createdAt: string;
  updatedAt: string;
  revision: number;
}

export interface FloatingIp {
  id: string;
  projectId: string;
  networkId: string;
  subnetId: string;
  address: string;
  portId: string | null;
  fixedAddress: string | null;
  description: string;
  tags: string[];
  createdAt: string;
  updatedAt: string;
}

export interface SecurityGroup {
  id: string;
  name: string;
  description: string;
  projectId: string;
  rules: JsonObject[];
  tags: string[];
  createdAt: string;
  updatedAt: string;
}

export interface Router {
  id: string;
  name: string;
  projectId: string;
  adminStateUp: boolean;
  gateway: { networkId: string; address: FixedIp } | null;
  createdAt: string;
  updatedAt: string;
}

export interface Volume {
  id: string;
  name: string | null;
  description: string | null;
  projectId: string;
  userId: string;
  size: number;
  status: 'creating' | 'available' | 'reserved' | 'in-use' | 'deleting' | 'error';
  zone: string;
  imageId: string | null;
  imageName: string | null;
  metadata: Record<string, string>;
  attachments: { attachmentId: string; serverId: string; device: string; attachedAt: string; host: string | null }[];
  createdAt: string;
  updatedAt: string | null;
}

export type ResourceAction = 'INIT' | 'CREATE' | 'UPDATE' | 'DELETE' | 'CHECK' | 'ROLLBACK';
export type ResourceStatus = 'COMPLETE' | 'IN_PROGRESS' | 'FAILED';

/** A resource as its template declares it, functions not yet evaluated. */
export interface ResourceDefinition {
  type: string;
  properties: JsonObject;
  metadata: Json;
  dependsOn: string[];
  deletionPolicy: string;
  condition: Json | undefined;
  description: string;
}

export interface StackResource {
  name: string;
  type: string;
  /** Heat's short id of the resource, the end of physical names. */
  short: string;
  action: ResourceAction;
  status: ResourceStatus;
  reason: string;
  /** Null until the physical resource is asked for. */
  physicalId: string | null;
  definition: ResourceDefinition;
  /** The properties with which it was made or last changed, functions evaluated and names resolved to ids. */
  properties: JsonObject;
  /** Names of the resources that it needs. */
  requires: string[];
  /** What its type wants to remember. */
  data: JsonObject;
  createdAt: string;
  updatedAt: string;
}

export interface StackEvent {
  id: string;
  time: string;
  resourceName: string;
  physicalId: string;
  type: string;
  status: string;
  reason: string;
}

export interface StackInput {
  template: JsonObject;
  files: Record<string, string>;
  environment: JsonObject;
  /** As the user gave them. */
  parameters: JsonObject;
}

export interface Stack {
  id: string;
  name: string;
  projectId: string;
  userId: string;
  userName: string;
  /** Id of the stack that it is nested in. */
  parentId: string | null;
  /** Name of the resource, in that stack, that it is. */
  parentResource: string | null;
  /** Hidden project in which Heat keeps users of its own. */
  userProjectId: string;
  input: StackInput;
  tags: string[];
  timeoutMins: number | null;
  disableRollback: boolean;
  action: ResourceAction;
  status: ResourceStatus;
  reason: string;
  createdAt: string;
  updatedAt: string | null;
  deletedAt: string | null;
  resources: StackResource[];
  /** Replaced or removed resources whose deletion has not succeeded yet. */
  superseded: StackResource[];
  events: StackEvent[];
}

export function emptyState(): CloudState {
  return {
    projects: new Map(),
    users: new Map(),
    credentials: new Map(),
    tokens: new Map(),
    images: new Map(),
    flavors: new Map(),
    servers: new Map(),
    serverGroups: new Map(),
    keyPairs: new Map(),
    networks: new Map(),
    subnets: new Map(),
    ports: new Map(),
    floatingIps: new Map(),
    securityGroups: new Map(),
    routers: new Map(),
    quotas: new Map(),
    volumes: new Map(),
    stacks: new Map(),
  };
}
