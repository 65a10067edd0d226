import { ScriptBench } from '@windlass/driver-kit/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REMOVE_STORAGE, SET_UP_STORAGE } from './scripts.js';
import { storageTables } from './tables.js';

const tables = storageTables(
  {
    volumes: [
      { volumeId: 'vol-inner', device: '/dev/vdc', mountTo: '/opt/volume/inner' },
      { volumeId: 'vol-outer', device: '/dev/vdb', mountTo: '/opt/volume' },
    ],
    exports: [
      { directory: '/opt/volume/inner/pv1', to: '10.10.0.0/24' },
      { directory: '/opt/volume/pv2', to: '10.10.0.0/24' },
    ],
  },
  'storage',
);

/** A machine with two disks. What is mounted stands in a file, a disk and its mount point a line; a disk's own files appear when it is mounted. */
const machine = (): ScriptBench => {
  const node = new ScriptBench();
  node.programs('mkfs.ext4', 'systemctl', 'udevadm', 'modprobe', 'chown', 'apt-get').program('hostname', 'echo storage');
  node.program('dpkg', `[ "$1" != -s ] || echo 'Status: install ok installed'`);
  node.program('lsblk', `for word; do last=$word; done; case $last in /dev/vd[bc]) echo "$last";; *) exit 32;; esac`);
  node.program('readlink', `for word; do last=$word; done; echo "$last"`);
  node.program(
    'blkid',
    `for word; do last=$word; done; case "$*" in *'-s UUID'*) echo "uuid-$last";; *'-s TYPE'*) echo ext4;; *) echo TYPE=ext4;; esac`,
  );
  node.program('wipefs').program('head');
  node.program(
    'findmnt',
    `for word; do last=$word; done; case "$*" in *--source*) awk -v of="$last" '$1 == of { print $2 }' /var/mounted;; *) awk -v at="$last" '$2 == at { print $1; found = 1 } END { exit !found }' /var/mounted;; esac`,
  );
  node.program(
    'mount',
    `disk=$(awk -v at="$1" '$2 == at { sub(/UUID=uuid-/, "", $1); print $1 }' /etc/fstab)
[ -d "$1" ] || exit 32
echo "$disk $1" >> /var/mounted
if [ -e "/var/disks$disk" ]; then cp -r "/var/disks$disk/." "$1"; fi`,
  );
  node.program(
    'umount',
    `! grep -q " $1/" /var/mounted || { echo busy >&2; exit 32; }; sed -i "\\\\# $1\\$#d" /var/mounted; rm -rf "$1"; mkdir "$1"`,
  );
  node.program('exportfs', `if [ "$1" = -s ]; then sed 's/^\\([^ ]*\\) \\(.*\\)/\\1  \\2/' /etc/exports.d/*.exports; fi`);
  node.file('var/mounted', '').file('proc/filesystems', 'nodev\tnfsd\n').file('etc/fstab', '');
  for (const [name, text] of Object.entries({ ...tables, 'apt.conf': '' }))
    node.file(name, text.replaceAll('/opt/', `${node.root}/opt/`));
  return node;
};

describe('a volume that is mounted in another', () => {
  let node: ScriptBench;
  beforeEach(() => (node = machine()));
  afterEach(() => node.remove());
  const setUp = () =>
    node.run(
      SET_UP_STORAGE,
      ['volumes', 'exports', 'apt.conf'].map((name) => node.at(name)),
    );
  const called = (name: string) =>
    node.calls.filter((call) => call.startsWith(`${name} `)).map((call) => call.replaceAll(node.root, ''));

  it('comes after the other, whichever the request names first, and each export lies on its own', async () => {
    expect(await setUp()).toMatchObject({ status: 0, stderr: '' });
    expect(called('mount')).toEqual(['mount /opt/volume', 'mount /opt/volume/inner']);
    const exported = node.read('etc/exports.d/windlass.exports').replaceAll(node.root, '');
    expect(exported).toMatch(/^\/opt\/volume\/inner\/pv1 .*,mp=\/opt\/volume\/inner\)$/m);
    expect(exported).toMatch(/^\/opt\/volume\/pv2 .*,mp=\/opt\/volume\)$/m);
    expect(await setUp()).toMatchObject({ status: 0, stderr: '' });
    expect(called('mount')).toHaveLength(2);
  });

  it('goes before the other', async () => {
    await setUp();
    expect(await node.run(REMOVE_STORAGE)).toMatchObject({ status: 0, stderr: '' });
    expect(called('umount')).toEqual(['umount /opt/volume/inner', 'umount /opt/volume']);
    expect(node.read('var/mounted')).toBe('');
  });

  it('hides no files that the other brings', async () => {
    node.file('var/disks/dev/vdb/inner/theirs', 'x');
    expect(await setUp()).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/inner holds files, which would be hidden by the volume vol-inner/) as string,
    });
    expect(called('mount')).toEqual(['mount /opt/volume']);
    expect(node.read('opt/volume/inner/theirs')).toBe('x');
  });
});
