import { access, chmod, chown, copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { minutes, TerminalError, type Duration } from '@windlass/foundation';
import type { MachineNic, MachineSpec, MachineVolume } from '../machine-fleet.js';
import { freezeCgroup, killCgroup, makeCgroup, makeDelegatedCgroup, removeCgroup, removeIfEmpty } from './cgroups.js';
import { removeFolder } from '../debian/cache.js';
import type { ContainerMachine } from './container-machine.js';
import { MachineContainers } from './machine-containers.js';
import { finish, type Finished } from '../debian/command.js';
import { GUEST_ROOT_ID } from '../debian/guest-ids.js';
import {
  firstBootScript,
  guestHostname,
  seedFiles,
  type GuestCredentials,
  type GuestInternet,
  type GuestRepository,
} from './guest-seed.js';
import { startProcess, type MachineProcess, type ProcessEnd } from './machine-process.js';
import { guestLinks, plug, setLink, setUpInside, unplug } from './network.js';
import { shiftOwners } from '../debian/shift-owners.js';
import { Turns } from './turns.js';
import { attachVolume, detachVolumes, deviceTable, makeNode, removeNode, type DeviceNode } from './volumes.js';
import { makeFolders, writeTree } from '../debian/write-tree.js';

/** What a VM needs of the lab it stands in. */
export interface MachineLab {
  /** Folder of all VMs' folders. */
  machines: string;
  /** Folder of the files behind volumes; they outlive the VM. */
  volumes: string;
  /** The lab's cgroup. */
  cgroup: string;
  bridge: string;
  gateway: string;
  node: string;
  credentials: GuestCredentials;
  internet: GuestInternet;
  /** An id that no other VM is accounted to. */
  nextAccount: () => number;
  /** A name for a link on the machine that no other has. */
  nextLink: () => string;
  /** Where containers can run in VMs. */
  containers: ContainerMachine | undefined;
  log: (line: string) => void;
}

/** What a VM boots. */
export interface MachineImage {
  /** Layers of its root, topmost first. */
  layers: () => Promise<readonly string[]>;
  /** Said first on the VM's console, a line each. */
  remarks: readonly string[];
  /** Where its apt gets packages. */
  repository: () => Promise<GuestRepository>;
  /** Account and host keys are cloud-init's work. */
  hasCloudInit: boolean;
  /** Further files of a fresh disk, by path relative to its root. */
  files: Readonly<Record<string, string>>;
  /** Names that it takes the bridge for beside the registries. */
  names: readonly string[];
}

export interface ExecOptions {
  /** Given to the program on its standard input. */
  input?: string | Buffer;
  /** Two minutes by default; then the program and what it started are ended. */
  within?: Duration;
}

/** One VM: its disk, and while it runs its processes, cgroup and links. */
export class Machine {
  private readonly turns = new Turns();
  private readonly folder: string;
  private readonly cgroup: string;
  private running: MachineProcess | undefined;
  private wanted = true;
  private nics: readonly MachineNic[];
  private volumes: readonly MachineVolume[];
  /** The machine's end of each card while the VM runs, by the card's number in the VM (`eth<number>`). */
  private readonly links = new Map<number, { nic: MachineNic; link: string }>();
  private executions = 0;
  private readonly containers: MachineContainers | undefined;
  /** Folders of the running VM in hierarchies beside cgroup2. */
  private legacyCgroups: readonly string[] = [];

  constructor(
    private readonly lab: MachineLab,
    readonly spec: MachineSpec,
    private readonly image: MachineImage,
  ) {
    this.folder = path.join(lab.machines, spec.serverId);
    this.cgroup = path.join(lab.cgroup, spec.serverId);
    this.nics = spec.nics;
    this.volumes = spec.volumes;
    if (lab.containers !== undefined) this.containers = new MachineContainers(lab.containers, this.cgroup, spec.memoryMiB);
  }

  /** The VM's own addresses, first card first. */
  get addresses(): string[] {
    return this.nics.map(({ address }) => address);
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** False from the instant it is destroyed until it is booted again. */
  get isWanted(): boolean {
    return this.wanted;
  }

  /** Starts the VM, on its own disk if it has one already. One that runs stays as it is. */
  boot(): Promise<void> {
    this.wanted = true;
    return this.turns.next(async () => {
      if (this.running === undefined) await this.start();
    });
  }

  /** Pulls the plug and keeps the disk. */
  shutDown(): Promise<void> {
    return this.turns.next(() => this.halt());
  }

  /** Pulls the plug and starts again on the same disk. */
  reboot(): Promise<void> {
    return this.turns.next(async () => {
      await this.halt();
      await this.start();
    });
  }

  /** Pulls the plug and removes the disk. */
  destroy(): Promise<void> {
    this.wanted = false;
    return this.turns.next(async () => {
      await this.halt();
      await removeFolder(this.folder);
    });
  }

  /** Runs a program in the VM as its root. */
  async exec(argv: readonly string[], options: ExecOptions = {}): Promise<Finished> {
    const { pid } = this.requireRunning();
    // A cgroup of its own, so that all it starts can be ended, and below the VM's, so that it hangs and dies with the VM.
    const cgroup = path.join(this.cgroup, `exec-${this.executions++}`);
    await mkdir(cgroup).catch((cause: unknown) => {
      throw new TerminalError('lab.machine-off', `the VM ${this.spec.name} is on its way out`, { cause });
    });
    const join = 'while [ "$1" != in ]; do echo $$ > "$1/cgroup.procs"; shift; done; shift; exec nsenter "$@"';
    // Not nsenter's own fork: it stops with a child that is stopped, as a VM's shutdown does with all, and nobody continues it.
    const into = ['in', '--target', String(pid), '--all', '--no-fork', '--setuid', '0', '--setgid', '0', '--'];
    const environment = [
      'env',
      '-i',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'HOME=/root',
      'LANG=C.UTF-8',
    ];
    // The shell stays outside the VM's PID namespace; what it starts is in it.
    const child = ['/bin/sh', '-c', '"$@"; exit "$?"', 'child'];
    try {
      return await finish(
        '/bin/sh',
        ['-c', join, 'join', cgroup, ...this.legacyCgroups, ...into, ...environment, ...child, ...argv],
        {
          within: options.within ?? minutes(2),
          end: () => killCgroup(cgroup),
          ...(options.input === undefined ? {} : { input: options.input }),
        },
      );
    } finally {
      // A daemon that it left behind goes on, as after a login by SSH, and ends with the VM.
      await removeIfEmpty(cgroup);
    }
  }

  /** What the VM printed while it started, and its journal; of a VM that is off too. */
  async consoleLog(): Promise<string> {
    const start = await readFile(path.join(this.folder, 'console.log'), 'utf8');
    const journal = path.join(this.folder, 'upper/var/log/journal');
    const { stdout } = await finish('journalctl', [
      '--directory',
      journal,
      '--no-pager',
      '--quiet',
      '--lines',
      '2000',
      '--output',
      'short-iso',
    ]);
    return start + stdout;
  }

  /** Stops every process of the VM where it is, or lets them go on. The VM's address still answers pings: the kernel does that. */
  async freeze(frozen: boolean): Promise<void> {
    this.requireRunning();
    await freezeCgroup(this.cgroup, frozen);
  }

  /** Takes the VM's cables out of the bridge, or puts them in again. */
  async setLinks(up: boolean): Promise<void> {
    this.requireRunning();
    for (const { link } of this.links.values()) await setLink(link, up);
  }

  /** Gives the VM a further disk; one that is off has it when it starts. A disk it has already changes nothing. */
  attachVolume(volume: MachineVolume): Promise<void> {
    return this.turns.next(async () => {
      if (this.volumes.some(({ volumeId }) => volumeId === volume.volumeId)) return;
      if (this.running !== undefined) {
        try {
          await makeNode(path.join(this.folder, 'dev'), await attachVolume(this.lab.volumes, volume));
        } catch (error) {
          await detachVolumes(this.lab.volumes, [volume]);
          throw error;
        }
      }
      this.volumes = [...this.volumes, volume];
    });
  }

  /** Takes a disk away again. What the VM has open of it goes on until it is closed. */
  detachVolume(volumeId: string): Promise<void> {
    return this.turns.next(async () => {
      const volume = this.volumes.find((each) => each.volumeId === volumeId);
      if (volume === undefined) return;
      this.volumes = this.volumes.filter((each) => each !== volume);
      if (this.running === undefined) return;
      await removeNode(path.join(this.folder, 'dev'), volume);
      await detachVolumes(this.lab.volumes, [volume]);
    });
  }

  /** Gives the VM these cards; a card that it has with the same MAC and address stays plugged in. */
  replug(nics: readonly MachineNic[]): Promise<void> {
    return this.turns.next(async () => {
      const links = guestLinks(nics, this.lab.gateway);
      this.nics = nics;
      await writeFile(path.join(this.folder, 'links'), links);
      const { running } = this;
      if (running === undefined) return;
      const isSame = (a: MachineNic, b: MachineNic) => a.mac === b.mac && a.address === b.address;
      for (const [index, { nic, link }] of [...this.links]) {
        if (nics.some((wanted) => isSame(wanted, nic))) continue;
        this.links.delete(index);
        await unplug(link);
      }
      for (const nic of nics.filter((wanted) => ![...this.links.values()].some((plugged) => isSame(plugged.nic, wanted)))) {
        const index = this.freeIndex();
        await this.plugIn(running.pid, nic, index);
        await setUpInside(running.pid, nic, index, this.lab.gateway);
      }
    });
  }

  private async start(): Promise<void> {
    await this.prepareDisk();
    await makeCgroup(this.cgroup);
    const guestCgroup = path.join(this.cgroup, 'guest');
    const outerCgroup = path.join(this.cgroup, 'outer');
    try {
      await this.prepareDevices();
      await makeDelegatedCgroup(guestCgroup);
      await mkdir(outerCgroup);
      this.legacyCgroups = (await this.containers?.makeCgroups(guestCgroup)) ?? [];
      await writeFile(path.join(this.folder, 'cgroups'), [guestCgroup, ...this.legacyCgroups, ''].join('\n'));
      const { folder } = this;
      const layers = await this.image.layers();
      const wire = async (pid: number) => {
        for (const [index, nic] of this.nics.entries()) await this.plugIn(pid, nic, index);
      };
      const running = await startProcess({
        folder,
        layers,
        outerCgroup,
        node: this.lab.node,
        account: this.lab.nextAccount(),
        wire,
      });
      this.running = running;
      void running.ended.then((how) => this.onEnd(running, how));
    } catch (error) {
      await this.clear();
      throw error;
    }
  }

  private async plugIn(pid: number, nic: MachineNic, index: number): Promise<void> {
    const link = this.lab.nextLink();
    this.links.set(index, { nic, link });
    await plug(link, this.lab.bridge, nic, index, pid);
  }

  private freeIndex(): number {
    let index = 0;
    while (this.links.has(index)) index++;
    return index;
  }

  /** An empty /dev, and what its nodes shall be. */
  private async prepareDevices(): Promise<void> {
    const dev = path.join(this.folder, 'dev');
    await removeFolder(dev);
    await makeGuestFolder(dev);
    const volumes: DeviceNode[] = [];
    for (const volume of this.volumes) volumes.push(await attachVolume(this.lab.volumes, volume));
    await writeFile(path.join(this.folder, 'devices'), deviceTable(volumes, this.containers !== undefined));
  }

  private async halt(): Promise<void> {
    const running = this.running;
    this.running = undefined;
    if (running !== undefined) {
      // The guest first, and whoever waits for it while it can: killed together they leave a zombie to the machine's init.
      killCgroup(path.join(this.cgroup, 'guest'));
      await freezeCgroup(this.cgroup, false);
      await running.ended;
    }
    await this.clear();
  }

  /** Removes what a VM has on the machine while it runs. */
  private async clear(): Promise<void> {
    await removeCgroup(this.cgroup);
    await this.containers?.removeCgroups();
    for (const { link } of this.links.values()) await unplug(link);
    this.links.clear();
    await detachVolumes(this.lab.volumes, this.volumes);
  }

  /** The VM ended by itself: one that asked for a reboot gets it, any other is off. */
  private onEnd(ended: MachineProcess, how: ProcessEnd): void {
    this.turns
      .next(async () => {
        if (this.running !== ended) return;
        this.lab.log(
          `${this.spec.name}: ${how === 'reboot' ? 'reboots by itself' : how === 'poweroff' ? 'powered itself off' : 'its init was killed'}`,
        );
        await this.halt();
        if (how === 'reboot') await this.start();
      })
      .catch((error: unknown) => this.lab.log(`${this.spec.name}: could not be restarted: ${String(error)}`));
  }

  /** Makes the folder of a new VM, whole or not at all; what a disk has already stays as it is. */
  private async prepareDisk(): Promise<void> {
    if (await exists(this.folder)) return;
    const making = `${this.folder}.new`;
    await removeFolder(making);
    await mkdir(making);
    await chmod(making, 0o711);
    for (const name of ['upper', 'work', 'seed']) await makeGuestFolder(path.join(making, name));
    await this.containers?.prepareDisk(making);
    const { hasCloudInit, files, names } = this.image;
    const { serverId, name, publicKeys = [] } = this.spec;
    const repository = await this.image.repository();
    const seed = seedFiles(serverId, guestHostname(name), repository, {
      ...this.lab.internet,
      hosts: [...this.lab.internet.hosts, ...names],
    });
    await writeTree(path.join(making, 'seed'), { ...seed, ...this.containers?.files(this.lab.gateway), ...files });
    await writeTree(making, { links: guestLinks(this.nics, this.lab.gateway) });
    await writeFile(path.join(making, 'console.log'), this.image.remarks.map((remark) => `windlass-lab: ${remark}\n`).join(''), {
      mode: 0o600,
    });
    await writeFile(path.join(making, 'first-boot.sh'), firstBootScript(this.lab.credentials, { hasCloudInit, publicKeys }), {
      mode: 0o400,
    });
    const { preinstalled } = repository;
    if (preinstalled.length > 0) await makeFolders(making, 'packages');
    for (const deb of preinstalled) await copyFile(deb, path.join(making, 'packages', path.basename(deb)));
    for (const name of ['seed', 'links', 'first-boot.sh', ...(preinstalled.length > 0 ? ['packages'] : [])])
      await shiftOwners(path.join(making, name));
    await rename(making, this.folder);
  }

  private requireRunning(): MachineProcess {
    if (this.running === undefined)
      throw new TerminalError('lab.machine-off', `the VM ${this.spec.name} (${this.spec.serverId}) is not running`);
    return this.running;
  }
}

async function exists(folder: string): Promise<boolean> {
  try {
    await access(folder);
    return true;
  } catch {
    return false;
  }
}

/** A folder that is the VM's root's. */
async function makeGuestFolder(folder: string): Promise<void> {
  await mkdir(folder);
  await chmod(folder, 0o755);
  await chown(folder, GUEST_ROOT_ID, GUEST_ROOT_ID);
}
