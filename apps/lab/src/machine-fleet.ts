/** What the OpenStack emulator asks of whoever makes machines: boot one when a server resource appears, destroy it when it goes. */
export interface MachineFleet {
  /** Boots the machine; resolves when it runs (its sshd may need a second or two more). Booting a machine that runs already changes nothing. */
  boot(machine: MachineSpec): Promise<void>;
  /** Ends the machine and removes its disk. Destroying one that is not there changes nothing. */
  destroy(serverId: string): Promise<void>;
  /** Restarts the machine on its own disk, as `POST /servers/{id}/action {"reboot"}` asks. */
  reboot(serverId: string): Promise<void>;
  /** Pulls the plug and keeps the disk, from which {@link boot} starts it again. Where it is absent, OpenStack refuses to stop servers. */
  shutDown?(serverId: string): Promise<void>;
  /** Gives a running machine a further disk. Where it is absent, OpenStack refuses to attach volumes after the boot. */
  attachVolume?(serverId: string, volume: MachineVolume): Promise<void>;
  /** Takes that disk away again; taking what is not there changes nothing. */
  detachVolume?(serverId: string, volumeId: string): Promise<void>;
  /** What the machine wrote on its console, oldest first. Where it is absent, OpenStack refuses to show consoles. */
  consoleLog?(serverId: string): Promise<string>;
  /** Gives a running machine these cards instead of those it has. Where it is absent, OpenStack refuses to change a server's networks. */
  replug?(serverId: string, nics: MachineNic[]): Promise<void>;
}

export interface MachineSpec {
  /** Nova's server id; unique. */
  serverId: string;
  /** Nova's server name: the guest's first hostname. */
  name: string;
  /** Name of the software image; the fleet maps it to a root file system, and says on the console when the name tells it nothing. */
  imageName: string;
  nics: MachineNic[];
  volumes: MachineVolume[];
  /** What the client gave the server for its first boot, decoded. */
  userData?: string;
  /** Of the server's key pair. */
  publicKeys?: string[];
  /** Of the server's flavour. A fleet that can hold a machine to it does. */
  memoryMiB?: number;
}

export interface MachineNic {
  mac: string;
  /** IPv4 address inside the lab's /24. */
  address: string;
  prefixLength: number;
  /** Further addresses that Neutron would let through (allowed_address_pairs), such as a VIP. */
  allowedAddresses: string[];
}

export interface MachineVolume {
  volumeId: string;
  /** Guest device name, such as `/dev/vdb`. */
  device: string;
  sizeGiB: number;
}

/** The lab's one network: what the emulator's `net0` offers and the hosts' bridge carries. */
export interface LabNetwork {
  /** Such as `10.77.3.0/24`; free on this machine when the lab started. */
  cidr: string;
  gateway: string;
  /** First and last address for ports. */
  firstAddress: string;
  lastAddress: string;
}
