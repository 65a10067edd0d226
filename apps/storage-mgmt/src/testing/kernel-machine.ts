import { ScriptBench } from '@windlass/driver-kit/testing';
import { storageTables } from '../server/tables.js';

const VOLUME = '5b1f0c1e-9d3e-4f0a-8a57-2d5f7c9e1a01';
const tables = storageTables(
  {
    volumes: [{ volumeId: VOLUME, device: '/dev/vdb', mountTo: '/opt/volume' }],
    exports: [{ directory: '/opt/volume/nfs/pv1', to: '10.10.0.0/24' }],
  },
  'storage',
);

/** A machine whose kernel has nfsd, with one disk. Files keep the disk's signature and the mounts; the exports are those of exports.d. */
export const kernelMachine = (signature: string): ScriptBench => {
  const node = new ScriptBench();
  node.programs('mkfs.ext4', 'systemctl', 'udevadm', 'modprobe', 'chown').program('hostname', 'echo storage');
  node.program('dpkg', `[ "$1" != -s ] || { grep -qx "$2" /var/lib/installed && echo 'Status: install ok installed'; }`);
  node.program(
    'apt-get',
    `for word; do last=$word; done; case " $* " in *' install '*) echo "$last" >> /var/lib/installed;; *' purge '*) : > /var/lib/installed;; esac`,
  );
  node.program(
    'lsblk',
    `for word; do last=$word; done; case $last in /dev/vdb) echo vdb;; *SERIAL) echo 'vdb 1G';; *) exit 32;; esac`,
  );
  node.program('readlink', `for word; do last=$word; done; echo "$last"`);
  node.program('mkfs.ext4', `echo ext4 > /var/signature`);
  node.program(
    'blkid',
    `found=$(cat /var/signature); case "$*" in *'-s UUID'*) echo 11-22;; *'-s TYPE'*) echo "$found";; *) case $found in '') exit 2;; gpt) echo PTTYPE=gpt;; *) echo "TYPE=$found";; esac;; esac`,
  );
  node.program('wipefs', 'cat /var/wipefs');
  node.program(
    'findmnt',
    `case "$*" in *--source*) [ -s /var/mounted ] && cat /var/mounted;; *SOURCE*) exit 1;; *) [ -s /var/mounted ];; esac`,
  );
  node.program('mount', `grep -q "^UUID=11-22 $1 ext4 " /etc/fstab && echo "$1" > /var/mounted`);
  node.program('umount', ': > /var/mounted');
  node.program('exportfs', `if [ "$1" = -s ]; then sed 's/^\\([^ ]*\\) \\(.*\\)/\\1  \\2/' /etc/exports.d/*.exports; fi`);
  node.file('var/signature', signature).file('var/wipefs', '').file('var/mounted', '').file('var/lib/installed', '');
  node.file('proc/filesystems', 'nodev\tnfsd\n\text4\n');
  node.program('head', 'true');
  node.file('etc/fstab', 'UUID=root / ext4 defaults 0 1\n').file('etc/exports.d/theirs.exports', '/srv 10.0.0.1(ro)\n');
  for (const [name, text] of Object.entries({ ...tables, 'apt.conf': '' }))
    node.file(name, text.replaceAll('/opt/', `${node.root}/opt/`));
  return node;
};
