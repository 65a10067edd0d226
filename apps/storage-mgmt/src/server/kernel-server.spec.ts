import type { ScriptBench } from '@windlass/driver-kit/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kernelMachine } from '../testing/kernel-machine.js';
import { REMOVE_STORAGE, SET_UP_STORAGE, STORAGE_IS_SET_UP } from './scripts.js';

describe('a storage server whose kernel has nfsd', () => {
  let node: ScriptBench;
  beforeEach(() => (node = kernelMachine('')));
  afterEach(() => node.remove());
  const setUp = () =>
    node.run(
      SET_UP_STORAGE,
      ['volumes', 'exports', 'apt.conf'].map((name) => node.at(name)),
    );
  const text = (name: string): string => node.read(name).replaceAll(node.root, '');
  const digest = () => node.run('sha256sum < "$1"', [node.at('exports')]).then(({ stdout }) => stdout.slice(0, 64));
  const isSetUp = async () => node.run(STORAGE_IS_SET_UP, [node.read('volumes'), await digest()]);

  it('exports by a file of its own, each directory only while its volume is mounted; other exports and mounts stay', async () => {
    expect(await setUp()).toMatchObject({ status: 0, stderr: '' });
    expect(text('etc/exports.d/windlass.exports')).toBe(
      '/opt/volume/nfs/pv1 10.10.0.0/24(rw,sync,no_subtree_check,insecure,all_squash,mp=/opt/volume)\n',
    );
    expect(node.read('etc/exports.d/theirs.exports')).toBe('/srv 10.0.0.1(ro)\n');
    expect(text('etc/fstab')).toMatch(
      /^UUID=root \/ ext4 defaults 0 1\n# windlass-storage: begin\nUUID=11-22 \/opt\/volume ext4 defaults,nofail,.*x-systemd.before=nfs-server.service 0 2\n# windlass-storage: end\n$/,
    );
    expect(node.calls).toContain('exportfs -ra');
    expect(node.calls.filter((call) => /^apt-get .* install .*nfs-kernel-server$/.test(call))).toHaveLength(1);
    expect(await isSetUp()).toMatchObject({ status: 0, stdout: 'kernel\n' });
  });

  it('that has nothing to export has its volume and no NFS server: nothing is installed, nothing listens', async () => {
    node.file('exports', '');
    expect(await setUp()).toMatchObject({ status: 0, stderr: '' });
    expect(node.calls.filter((call) => /^(apt-get|exportfs|modprobe)/.test(call))).toEqual([]);
    expect(node.calls.filter((call) => call.includes('nfs'))).toEqual([]);
    expect(text('var/mounted')).toBe('/opt/volume\n');
    expect(text('etc/fstab')).toMatch(/\nUUID=11-22 \/opt\/volume ext4 defaults,nofail,x-systemd.device-timeout=60s 0 2\n/);
    expect(await isSetUp()).toMatchObject({ status: 0, stdout: 'none\n' });
    expect(await node.run(REMOVE_STORAGE)).toMatchObject({ status: 0 });
    expect(node.read('var/mounted')).toBe('');
  });

  it('that an earlier release had export nothing loses that server; one that is to export again gets one', async () => {
    await setUp();
    const exports = node.read('exports');
    node.file('exports', '').file('var/lib/windlass-storage/exports', '');
    expect(await isSetUp()).toMatchObject({ status: 1 });
    expect(await setUp()).toMatchObject({ status: 0 });
    expect(node.has('etc/exports.d/windlass.exports')).toBe(false);
    expect(node.calls.some((call) => /^apt-get .*purge .*nfs-kernel-server/.test(call))).toBe(true);
    expect(await isSetUp()).toMatchObject({ status: 0, stdout: 'none\n' });
    node.file('exports', exports);
    expect(await setUp()).toMatchObject({ status: 0 });
    expect(await isSetUp()).toMatchObject({ status: 0, stdout: 'kernel\n' });
  });

  it('is not formatted or mounted again by a second run, and is found undone where its export or its line is gone', async () => {
    await setUp();
    const before = node.calls.length;
    expect(await setUp()).toMatchObject({ status: 0 });
    expect(node.calls.slice(before).filter((call) => /^(mkfs|mount|apt-get)/.test(call))).toEqual([]);
    const fstab = node.read('etc/fstab');
    node.file('etc/fstab', 'UUID=root / ext4 defaults 0 1\n');
    expect(await isSetUp()).toMatchObject({ status: 1 });
    node.file('etc/fstab', fstab).file('etc/exports.d/windlass.exports', '');
    expect(await isSetUp()).toMatchObject({ status: 1 });
  });

  it('gives back what it had: no export, no mount, no package of ours, and theirs', async () => {
    await setUp();
    expect(await node.run(REMOVE_STORAGE)).toMatchObject({ status: 0 });
    expect(node.has('etc/exports.d/windlass.exports')).toBe(false);
    expect(node.read('etc/exports.d/theirs.exports')).toBe('/srv 10.0.0.1(ro)\n');
    expect(node.read('etc/fstab')).toBe('UUID=root / ext4 defaults 0 1\n');
    expect([node.read('var/mounted'), node.read('var/lib/installed')]).toEqual(['', '']);
    expect(node.read('var/signature')).toBe('ext4\n');
    expect(node.has('var/lib/windlass-storage')).toBe(false);
  });

  it.each([
    ['gpt', '', 'a partition table \\(gpt\\)'],
    ['LVM2_member', '', 'LVM2_member'],
    ['crypto_LUKS', '', 'crypto_LUKS'],
    ['', 'some-signature\n', 'signatures of some-signature'],
  ])('touches no disk on which blkid sees "%s" and wipefs "%s"', async (signature, wipefs, holds) => {
    node.file('var/signature', signature).file('var/wipefs', wipefs);
    expect(await setUp()).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(new RegExp(`holds ${holds} and is not touched`)) as string,
    });
    expect(node.calls.filter((call) => /^(mkfs|mount)/.test(call))).toEqual([]);
    expect(node.read('etc/fstab')).toBe('UUID=root / ext4 defaults 0 1\n');
  });

  it('keeps what a file system holds', async () => {
    node.file('var/signature', 'ext4');
    expect(await setUp()).toMatchObject({ status: 0, stdout: expect.stringContaining('holds ext4, which is kept') as string });
    expect(node.calls.filter((call) => call.startsWith('mkfs'))).toEqual([]);
  });

  it('is mounted over no files', async () => {
    node.file('opt/volume/theirs', 'x');
    expect(await setUp()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('holds files, which would be hidden') as string,
    });
    expect(node.calls.filter((call) => /^(mkfs|mount)/.test(call))).toEqual([]);
  });
});
