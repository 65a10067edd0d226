import { chown, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cgroupMounts } from './cgroup-layout.js';
import type { ContainerMachine } from './container-machine.js';
import { GUEST_ROOT_ID } from '../debian/guest-ids.js';
import { makeLegacyCgroups, removeLegacyCgroups } from './legacy-cgroups.js';
import { makeFolders, writeTree } from '../debian/write-tree.js';

/** Folders of a VM that lie on the machine's disk as they are: its root is an overlay, and no other can lie on that. */
const ON_DISK = ['containerd', 'kubelet', 'etcd'] as const;

/** Settings of the whole kernel that the kubelet wants so, and sets where they differ. A VM sees these, whatever the machine's are. */
const SETTINGS: Readonly<Record<string, string>> = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};

/** What a VM has on the machine beyond others, so that containers can run in it. */
export class MachineContainers {
  private readonly name: string;

  /** @param cgroup of the VM, below where cgroup2 is; the same path is its folder in every other hierarchy */
  constructor(
    private readonly machine: ContainerMachine,
    cgroup: string,
    private readonly memoryMiB: number | undefined,
  ) {
    this.name = path.relative(machine.layout.root, cgroup);
  }

  /** Adds its part to the folder of a new VM; what assets/hosts/machine-inside.sh reads. */
  async prepareDisk(folder: string): Promise<void> {
    const own = path.join(folder, 'containers');
    await makeFolders(own, '.');
    await makeFolders(folder, 'containers/disk');
    await writeTree(own, {
      hierarchies: cgroupMounts(this.machine.layout),
      settings: Object.entries(SETTINGS)
        .map(([setting, value]) => `${setting} ${value}\n`)
        .join(''),
    });
    for (const name of ON_DISK) {
      const data = path.join(own, 'disk', name);
      await mkdir(data, { mode: 0o711 });
      await chown(data, GUEST_ROOT_ID, GUEST_ROOT_ID);
    }
  }

  /**
   * Files of a fresh disk, by path relative to its root.
   * @param gateway nobody answers names there, and says so at once: a cluster's own DNS does not start without a server to ask
   */
  files(gateway: string): Record<string, string> {
    return { 'etc/resolv.conf': `nameserver ${gateway}\n` };
  }

  /**
   * Makes the VM's folders in the hierarchies, with its limit.
   * @param guest the cgroup that the VM takes for the root of cgroup2
   * @returns the folders that its first process enters, beside that one
   */
  async makeCgroups(guest: string): Promise<string[]> {
    const { layout } = this.machine;
    const { memoryMiB } = this;
    if (layout.version === 1) return makeLegacyCgroups(layout.hierarchies, this.name, memoryMiB);
    if (memoryMiB !== undefined) await writeFile(path.join(guest, 'memory.max'), `${memoryMiB}M`);
    return [];
  }

  /** Nothing of the VM runs any more. */
  async removeCgroups(): Promise<void> {
    const { layout } = this.machine;
    if (layout.version === 1)
      await removeLegacyCgroups(layout.hierarchies.map(({ mountedAt }) => path.join(mountedAt, this.name)));
  }
}
