import { chown, mkdir, open, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { TerminalError } from '@windlass/foundation';
import type { MachineVolume } from '../machine-fleet.js';
import { run } from '../debian/command.js';
import { GUEST_ROOT_ID } from '../debian/guest-ids.js';

const GIB = 1024 ** 3;

/** A device node of a VM. */
export interface DeviceNode {
  name: string;
  /** Character or block device. */
  kind: 'c' | 'b';
  major: number;
  minor: number;
  /** As a disk shows it: a link by it leads to the node. */
  serial?: string;
}

/** What every VM has besides its volumes; fuse is how it mounts what its user namespace may not. */
const DEVICES: readonly DeviceNode[] = [
  { name: 'null', kind: 'c', major: 1, minor: 3 },
  { name: 'zero', kind: 'c', major: 1, minor: 5 },
  { name: 'full', kind: 'c', major: 1, minor: 7 },
  { name: 'random', kind: 'c', major: 1, minor: 8 },
  { name: 'urandom', kind: 'c', major: 1, minor: 9 },
  { name: 'tty', kind: 'c', major: 5, minor: 0 },
  { name: 'fuse', kind: 'c', major: 10, minor: 229 },
];

/** The kubelet must be able to open the kernel's log; in a VM it finds it empty. */
const KERNEL_LOG: DeviceNode = { name: 'kmsg', kind: 'c', major: 1, minor: 3 };

/** The devices of a VM as its start script reads them: name, kind, major, minor, mode, serial (`-`: none), a line each. */
export const deviceTable = (volumes: readonly DeviceNode[], runsContainers = false): string =>
  [...DEVICES, ...(runsContainers ? [KERNEL_LOG] : []), ...volumes]
    .map(
      ({ name, kind, major, minor, serial = '-' }) =>
        `${name} ${kind} ${major} ${minor} ${kind === 'c' ? '666' : '660'} ${serial}\n`,
    )
    .join('');

/** Puts a loop device over a volume's file. The file is made sparse at its first use and outlives the VM, as a volume does. */
export async function attachVolume(folder: string, volume: MachineVolume): Promise<DeviceNode> {
  const file = fileOf(folder, volume.volumeId);
  const name = deviceName(volume.device);
  await mkdir(folder, { recursive: true });
  const handle = await open(file, 'a', 0o600);
  try {
    const { size } = await handle.stat();
    if (size < volume.sizeGiB * GIB) await handle.truncate(volume.sizeGiB * GIB);
  } finally {
    await handle.close();
  }
  const loop = (await run('losetup', ['--find', '--show', '--', file])).trim();
  const minor = /^\/dev\/loop(\d+)$/.exec(loop)?.[1];
  if (minor === undefined) throw new TerminalError('lab.volume', `losetup gave '${loop}' for ${file}, no loop device`);
  return { name, kind: 'b', major: 7, minor: Number(minor), serial: serialOf(volume.volumeId) };
}

/** What KVM shows of a volume's id. */
const serialOf = (volumeId: string): string => volumeId.slice(0, 20);

/** udev, which no VM has, would make it. */
const linkOf = (folder: string, serial: string): string => path.join(folder, 'disk/by-id', `virtio-${serial}`);

/** Makes a volume's node in the folder that is the /dev of a VM. */
export async function makeNode(folder: string, { name, kind, major, minor, serial }: DeviceNode): Promise<void> {
  const node = path.join(folder, name);
  await run('mknod', ['--mode=0660', '--', node, kind, String(major), String(minor)]);
  await chown(node, GUEST_ROOT_ID, GUEST_ROOT_ID);
  if (serial === undefined) return;
  const link = linkOf(folder, serial);
  await mkdir(path.dirname(link), { recursive: true });
  await symlink(`../../${name}`, link);
}

/** Takes a volume's node out of the folder that is the /dev of a VM. */
export async function removeNode(folder: string, { device, volumeId }: MachineVolume): Promise<void> {
  await rm(linkOf(folder, serialOf(volumeId)), { force: true });
  await rm(path.join(folder, deviceName(device)), { force: true });
}

/** Takes the loop devices off volumes that are not in use any more; their files stay. */
export async function detachVolumes(folder: string, volumes: readonly MachineVolume[]): Promise<void> {
  if (volumes.length === 0) return;
  const wanted = new Set(volumes.map(({ volumeId }) => fileOf(folder, volumeId)));
  await detach((file) => wanted.has(file));
}

/** Takes the loop devices off all files below a folder. */
export const detachAll = (folder: string): Promise<void> => detach((file) => file.startsWith(`${folder}/`));

interface LoopDevices {
  loopdevices: { name: string; 'back-file': string | null }[];
}

async function detach(isOurs: (file: string) => boolean): Promise<void> {
  const listed = await run('losetup', ['--list', '--json', '--output', 'NAME,BACK-FILE']);
  if (listed.trim() === '') return;
  for (const device of (JSON.parse(listed) as LoopDevices).loopdevices) {
    // The kernel marks the file of a volume that was removed under its device.
    const file = (device['back-file'] ?? '').replace(/ \(deleted\)$/, '');
    if (isOurs(file)) await run('losetup', ['--detach', device.name]);
  }
}

function fileOf(folder: string, volumeId: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/.test(volumeId)) throw new TerminalError('lab.volume', `'${volumeId}' is no volume id`);
  return path.join(folder, `${volumeId}.img`);
}

function deviceName(device: string): string {
  const name = /^\/dev\/([a-z]{2,4}[0-9]*)$/.exec(device)?.[1];
  if (name === undefined) throw new TerminalError('lab.volume', `'${device}' is no device name such as /dev/vdb`);
  return name;
}
