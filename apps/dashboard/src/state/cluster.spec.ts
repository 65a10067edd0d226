import { describe, expect, it } from 'vitest';
import type { Instance, Vim } from '../api/types.js';
import { clusterOf } from './cluster.js';
import type { ShownVnfc } from './topology.js';

const vnfc = (id: string, vdu: string, address: string): ShownVnfc => ({
  id,
  vdu,
  state: 'STARTED',
  resource: id,
  ports: [{ id, cpd: 'cp', network: 'net0', addresses: [address] }],
  volumes: [],
});
const instance = (vimTypes: string[], masters: string[] = []): Instance =>
  ({
    vimConnectionInfo: vimTypes.map((vimType, n) => ({ id: `c${n}`, vimId: `v${n}`, vimType })),
    instantiatedVnfInfo:
      masters.length === 0
        ? {}
        : {
            metadata: {
              windlassCertificates: { lookedAt: '', certificates: masters.map((master) => ({ master, name: 'a', endsAt: '' })) },
            },
          },
  }) as unknown as Instance;
const vims = [{ id: 'v1', name: 'cluster', auth_url: 'https://10.0.0.80:16443' }] as Vim[];

describe('the cluster of an instance', () => {
  it('has its registered address, and masters by their certificates or the names of the guides', () => {
    const vnfcs = [
      vnfc('1', 'masterNode', '10.0.0.1'),
      vnfc('2', 'node', '10.0.0.2'),
      vnfc('3', 'workerNode', '10.0.0.3'),
      vnfc('4', 'lb', '10.0.0.4'),
    ];
    const cluster = clusterOf(instance(['openstack', 'kubernetes'], ['10.0.0.2']), vnfcs, vims);
    expect(cluster?.vim?.auth_url).toBe('https://10.0.0.80:16443');
    expect(cluster?.nodes.map(({ role }) => role)).toEqual(['master', 'master', 'worker', '']);
  });

  it('is none of a VNF of VMs alone, and none of containers in a cluster of others', () => {
    expect(clusterOf(instance(['openstack']), [vnfc('1', 'VDU1', '10.0.0.1')], vims)).toBeUndefined();
    expect(clusterOf(instance(['kubernetes']), [], vims)).toBeUndefined();
  });

  it('is told where its registration is gone', () => {
    expect(clusterOf(instance(['openstack', 'kubernetes']), [vnfc('1', 'm', '10.0.0.1')], [])).toMatchObject({ vim: undefined });
  });
});
