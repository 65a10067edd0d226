import { TerminalError } from '@windlass/foundation';
import { lastLines } from '../debian/command.js';
import type { Machine } from './machine.js';

/** Where a VM keeps the full file system that is laid over a folder. */
const FULL = '/run/windlass-lab-full';

/** An overlay with nothing left to write to: what is there can be read and removed, and every byte written gives ENOSPC. */
const FILL = `set -eu
test -d "$0"
if mountpoint -q ${FULL}; then echo "a disk of this VM is full already" >&2; exit 1; fi
mkdir -p ${FULL}
mount -t tmpfs -o size=4k tmpfs ${FULL}
mkdir ${FULL}/upper ${FULL}/work
chmod --reference="$0" ${FULL}/upper
chown --reference="$0" ${FULL}/upper
mount -t overlay overlay -o "lowerdir=$0,upperdir=${FULL}/upper,workdir=${FULL}/work,userxattr" "$0"
head -c 4096 /dev/zero > ${FULL}/fill
`;
const FREE = `set -eu
umount "$0"
umount ${FULL}
`;

/**
 * Makes a folder of a VM a full disk, or gives it back as it was before. One folder of a VM at a time. Files that were open
 * already are not touched; a reboot frees the disk.
 */
export async function setDiskFull(machine: Machine, folder: string, full: boolean): Promise<void> {
  if (!/^(\/[\w.-]+)+$/.test(folder))
    throw new TerminalError('lab.fault', `'${folder}' is no absolute path of a folder in the VM`);
  await inside(machine, ['/bin/sh', '-c', full ? FILL : FREE, folder]);
}

/** Stops sshd, so that the kernel refuses new connections to port 22, or starts it. Sessions that are open stay. A reboot starts it. */
export const setSshRefused = (machine: Machine, refused: boolean): Promise<void> =>
  inside(machine, ['systemctl', refused ? 'stop' : 'start', 'ssh.service']);

async function inside(machine: Machine, argv: readonly string[]): Promise<void> {
  const { status, stderr } = await machine.exec(argv);
  if (status !== 0)
    throw new TerminalError('lab.fault', `the VM ${machine.spec.name} did not take the fault: ${lastLines(stderr)}`);
}
