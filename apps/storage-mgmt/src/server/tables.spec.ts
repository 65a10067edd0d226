import { describe, expect, it } from 'vitest';
import { storageTables } from './tables.js';

const volume = (mountTo: string, volumeId = 'vol-1', device: string | null = '/dev/vdb') => ({ volumeId, device, mountTo });
const tables = (mountTo: string, directory = '/volume/nfs/pv1', to = '10.10.0.0/24') =>
  storageTables({ volumes: [volume(mountTo)], exports: [{ directory, to }] }, 'storage');

describe('what a storage server is told', () => {
  it('is a line for each volume and each export, with the mount point that it lies under', () => {
    const exports = [
      { directory: '/volume/nfs/pv1/', to: '10.10.0.5/24' },
      { directory: '/volumes', to: '10.10.0.7' },
    ];
    expect(storageTables({ volumes: [volume('/volume/')], exports }, 'storage')).toMatchObject({
      volumes: 'vol-1\t/dev/vdb\t/volume\n',
      exports: '/volume/nfs/pv1\t10.10.0.0/24\t/volume\n/volumes\t10.10.0.7\t-\n',
    });
    expect(storageTables({ volumes: [volume('/volume', 'vol-1', null)], exports: [] }, 'storage').volumes).toBe(
      'vol-1\t-\t/volume\n',
    );
  });

  it.each([
    '/',
    '/etc/x',
    '/var',
    '/root/data',
    '/var/run/x',
    '/a=b',
    'volume',
    '/volume/../etc',
    '/a b',
    '/a\tb',
    '/a\n/b',
    "/a'b",
    '/a"b',
    '/a#b',
    '/a\\040b',
    '',
  ])('has no volume at %j: it would be taken for something else, or hide the system', (path) => {
    expect(() => tables(path)).toThrow(/can't be mounted at: expected an absolute path/);
    expect(() => tables('/volume', path)).toThrow(/can't be exported: expected an absolute path/);
  });

  it.each(['10.10.0.0/33', '*', 'everybody', '10.10.0.0/24(rw,no_root_squash)', '10.10.0.0/24 *'])('exports to no %j', (to) => {
    expect(() => tables('/volume', '/volume/x', to)).toThrow(/can't be exported to: expected an IPv4 address or range/);
  });

  it('has no volume twice, and no two at one mount point', () => {
    const twice = (volumes: ReturnType<typeof volume>[]) => () => storageTables({ volumes, exports: [] }, 'storage');
    expect(twice([volume('/a'), volume('/b')])).toThrow('vol-1 stands twice');
    expect(twice([volume('/a'), volume('/a/', 'vol-2')])).toThrow('/a stands twice');
  });
});
