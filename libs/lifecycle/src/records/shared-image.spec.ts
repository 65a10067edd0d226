import { bytes } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import type { VimAccess } from './vim-access.js';
import { projectReached, shareKey, type CarriedImage } from './shared-image.js';

const access: VimAccess = {
  ...{ connectionId: 'c', authUrl: 'https://keystone.example/v3', username: 'u', password: 'p', userDomainName: 'Default' },
  ...{ projectName: 'p', projectDomainName: 'Default', verifyTls: true },
};

const carried = (of: Partial<CarriedImage['image']> = {}, sha256 = 'aa'): CarriedImage => ({
  nodes: ['VDU1'],
  sha256,
  image: {
    ...{ vduId: 'VDU1', name: 'ours', path: 'a.img', containerFormat: 'bare', diskFormat: 'raw', size: 1 },
    checksum: { algorithm: 'SHA-256', hash: 'AA' },
    ...{ minDisk: bytes(0), minRam: bytes(0) },
    ...of,
  },
});
const key = (image: CarriedImage, tenant = 't', vim = access): string => shareKey(tenant, projectReached(vim), image);

describe('the key that an image is shared by', () => {
  it('is the same whoever logs in, wherever the file lies, and however its algorithm is spelled', () => {
    const same = carried({ vduId: 'VDU2', path: 'b.img', checksum: { algorithm: 'sha256', hash: 'aa' } });
    expect(key(same, 't', { ...access, username: 'v', password: 'q', authUrl: `${access.authUrl}/` })).toBe(key(carried()));
  });

  it('is another for another tenant, cloud, region or project, so that none learns of another’s image', () => {
    const others = [
      key(carried(), 'u'),
      key(carried(), 't', { ...access, authUrl: 'https://other.example/v3' }),
      key(carried(), 't', { ...access, region: 'two' }),
      key(carried(), 't', { ...access, projectName: 'q' }),
      key(carried(), 't', { ...access, projectDomainName: 'd' }),
      key(carried(), 't', { ...access, projectId: 'p' }),
    ];
    expect(new Set([key(carried()), ...others]).size).toBe(7);
  });

  it('is another for other bytes, though the VNFD declares the same hash, and for what Glance keeps otherwise', () => {
    const others = [
      key(carried({}, 'bb')),
      key(carried({ checksum: { algorithm: 'SHA-256', hash: 'bb' } })),
      key(carried({ name: 'theirs' })),
      key(carried({ diskFormat: 'qcow2' })),
      key(carried({ containerFormat: 'ovf' })),
      key(carried({ minDisk: bytes(1) })),
      key(carried({ minRam: bytes(1) })),
    ];
    expect(new Set([key(carried()), ...others]).size).toBe(8);
  });
});
