import { gibibytes, mebibytes } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { clockFinding } from './access.js';
import { commandLine, worstOf, type Finding } from './findings.js';
import { flavorFinding } from './flavors.js';
import { hostsFinding } from './hosts.js';
import { imageFindings } from './images.js';

describe('what a check tells', () => {
  it('names with blanks or a shell’s own characters are quoted in commands', () => {
    expect(commandLine('openstack', 'network', 'show', "my net; rm -rf '/'")).toBe(
      String.raw`openstack network show 'my net; rm -rf '\''/'\'''`,
    );
    expect(commandLine('openstack', 'network', 'show', '$(id)', '<name>')).toBe("openstack network show '$(id)' '<name>'");
  });

  it('the worst finding counts, and none is all right', () => {
    const of = (...statuses: Finding['status'][]) =>
      worstOf(statuses.map((status) => ({ check: 'a', subject: 'b', says: 'c', status })));
    expect([of(), of('ok', 'note'), of('warning', 'note'), of('ok', 'failed', 'warning')]).toEqual([
      'ok',
      'note',
      'warning',
      'failed',
    ]);
  });

  it('a clock is compared by what a Date that is cut to seconds can say', () => {
    const at = (theirs: number) => clockFinding('Nova', theirs, { before: 100_000, after: 102_000 }, 10_000);
    expect(at(101_000).says).toBe('the same, to a second');
    expect(at(112_000)).toMatchObject({ status: 'ok', says: '10 s ahead of ours' });
    expect(at(113_000)).toMatchObject({ status: 'failed' });
    expect(at(89_000)).toMatchObject({ status: 'ok', says: '10 s behind ours' });
    expect(at(88_000)).toMatchObject({ status: 'failed' });
  });

  it('hosts are counted where they are shown; elsewhere by where the project’s servers are', () => {
    const group = { name: 'masters', policy: 'anti-affinity', now: 3, most: 5 };
    const statuses = [hostsFinding(group, 2, 0), hostsFinding(group, 3, 0), hostsFinding(group, 5, 0)].map(
      ({ status }) => status,
    );
    expect(statuses).toEqual(['failed', 'warning', 'ok']);
    expect([hostsFinding(group, undefined, 4).status, hostsFinding(group, undefined, 5).status]).toEqual(['warning', 'ok']);
  });

  it('a flavor is large enough, or what it lacks is named; a disk of 0 is the image’s', () => {
    const server = {
      name: 'master',
      flavor: 'f',
      fromVolume: false,
      now: 1,
      most: 1,
      least: { vcpus: 2, ramMiB: 1_700, diskGiB: 4 },
    };
    const flavor = { id: '1', name: 'f', vcpus: 2, ramMiB: 2_048, diskGiB: 0 };
    expect(flavorFinding(server, flavor).status).toBe('ok');
    expect(flavorFinding(server, { ...flavor, vcpus: 1, diskGiB: 3 }).says).toContain('needs 2 CPUs, 4 GiB of disk');
    expect(flavorFinding({ ...server, fromVolume: true }, { ...flavor, diskGiB: 3 }).status).toBe('ok');
    expect(flavorFinding(server, undefined)).toMatchObject({
      status: 'failed',
      command: expect.stringContaining('flavor create') as string,
    });
  });

  it('an image is there once, active, and with the bytes that the package names', () => {
    const need = {
      name: 'ubuntu',
      neededBy: ['VM'],
      carried: false,
      minDiskGiB: 0,
      minRamMiB: 0,
      checksum: { algorithm: 'SHA-512', hash: 'AB' },
    };
    const image = {
      id: 'i',
      name: 'ubuntu',
      status: 'active',
      tags: [],
      sizeBytes: 1,
      hashAlgorithm: 'sha512',
      hash: 'ab',
      minDiskGiB: gibibytes(0),
      minRamMiB: mebibytes(0),
    };
    const told = (...images: (typeof image)[]) => imageFindings(need, images).map(({ check, status }) => `${status} ${check}`);
    expect(told()).toEqual(['failed image.exists']);
    expect(told(image)).toEqual(['ok image.exists', 'ok image.checksum']);
    expect(told({ ...image, hash: 'cd' })).toEqual(['ok image.exists', 'warning image.checksum']);
    expect(told({ ...image, hashAlgorithm: 'sha256' })).toEqual(['ok image.exists', 'note image.checksum']);
    expect(told({ ...image, status: 'queued' })).toEqual(['failed image.exists']);
    expect(told(image, image)).toEqual(['failed image.exists']);
  });
});
