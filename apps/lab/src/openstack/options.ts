import type { Duration } from '@windlass/foundation';
import type { LabNetwork, MachineFleet } from '../machine-fleet.js';
import type { Fault } from './faults/fault.js';

/** A user with a project of its own; `vnfm` of project `vnfm` by default, and a second one to test separation of tenants. */
export interface TenantSeed {
  project: string;
  user: string;
  password: string;
}

/** An image that is there from the start, as if an operator had uploaded it. Public, active, `raw`. */
export interface ImageSeed {
  name: string;
  /** Content; 64 KiB of zeroes when absent. */
  content?: Uint8Array;
}

/** A flavor that is there from the start. `ram` in MiB, `disk` in GiB. */
export interface FlavorSeed {
  name: string;
  ram: number;
  vcpus: number;
  disk: number;
}

/** A network that every project sees. */
export interface NetworkSeed {
  name: string;
  cidr: string;
  gateway?: string;
  firstAddress?: string;
  lastAddress?: string;
  /** An external network is where floating IPs come from. */
  external?: boolean;
}

export interface EmulatorOptions {
  /** Where to listen: loopback, or the lab's bridge. Default 127.0.0.1. */
  host?: string;
  /** Default 0: a free port. */
  port?: number;
  /** What the catalog names instead of where it listens: the URL of what stands in front, made when the port is known. */
  reachedBy?: (port: number) => Promise<string>;
  /** State is kept here (one JSON file, written atomically, and the images) and read at the next start. Absent: nothing is kept. */
  dataDir?: string;
  /** The lab's network, offered as `net0`. Servers get their machines' addresses here. Default 10.10.0.0/24, as the real one of tools/openstack. */
  network?: LabNetwork;
  /** Further networks; records only, no machine has a card in them. Default `net1`, `net_mgmt` and the external `public`. */
  networks?: NetworkSeed[];
  /** Makes a machine for each server. Absent: servers are records. */
  fleet?: MachineFleet;
  project?: string;
  user?: string;
  /** Made up when absent; the running emulator tells it. */
  password?: string;
  /** Password of user `admin` of project `admin`; made up when absent. */
  adminPassword?: string;
  /** Password of user `windlass` of project `service`, who may validate tokens; made up when absent. */
  vnfmPassword?: string;
  /** The second tenant; `vnfm2` by default. */
  secondTenant?: TenantSeed;
  images?: (ImageSeed | string)[];
  flavors?: FlavorSeed[];
  /** Names of compute hosts; anti-affinity groups can't have more servers than these. Default compute01..compute03. */
  computeHosts?: string[];
  /** Ordinary users see `OS-EXT-SRV-ATTR:host`. Default false: only administrators do. */
  showHost?: boolean;
  /** How long a token lives. Default one day. */
  tokenLife?: Duration;
  /** `instant`: nothing waits but for the fleet. `lab`: each step of a stack takes long enough to be seen. Default `instant`. */
  speed?: 'instant' | 'lab';
  /** When Nova makes a server, and Heat a resource or all those of a new stack, in ms since 1970; they tell whole seconds. Default: this machine's clock. */
  clock?: () => number;
  /** Faults that are armed from the start. */
  faults?: Fault[];
  /** The token of the fault path `/_faults` and of `/_inventory`; made up when absent. */
  labToken?: string;
}

export const defaultNetwork: LabNetwork = {
  cidr: '10.10.0.0/24',
  gateway: '10.10.0.1',
  firstAddress: '10.10.0.2',
  lastAddress: '10.10.0.254',
};

export const defaultNetworks: NetworkSeed[] = [
  { name: 'net1', cidr: '10.10.1.0/24' },
  { name: 'net_mgmt', cidr: '192.168.120.0/24' },
  { name: 'public', cidr: '172.24.4.0/24', external: true },
];

export const defaultFlavors: FlavorSeed[] = [
  { name: 'm1.tiny', ram: 512, vcpus: 1, disk: 1 },
  { name: 'm1.small', ram: 1024, vcpus: 1, disk: 1 },
  { name: 'm1.medium', ram: 2048, vcpus: 2, disk: 5 },
];

export const defaultImages: string[] = ['cirros', 'image-1.0.0'];

export const defaultComputeHosts: string[] = ['compute01', 'compute02', 'compute03'];
