import { describe, expect, it } from 'vitest';
import type { Instance } from '../api/types.js';
import { hasCluster, membersOf, standOf, type ClusterNode } from './cluster.js';
import type { ShownVnfc } from './topology.js';

const vnfc = (id: string, vdu: string, address: string): ShownVnfc => ({
  id,
  vdu,
  state: 'STARTED',
  resource: id,
  ports: [{ id, cpd: 'cp', network: 'net0', addresses: [address] }],
  volumes: [],
});
const node = (name: string, address: string, more: Partial<ClusterNode> = {}): ClusterNode => ({
  name,
  role: 'worker',
  ready: 'True',
  reason: null,
  since: null,
  schedulable: true,
  version: 'v1.34.1',
  runtime: '',
  os: '',
  addresses: [address],
  ...more,
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

describe('the cluster of an instance', () => {
  it('is none of a VNF of VMs alone, and none of containers in a cluster of others', () => {
    expect(hasCluster(instance(['openstack']), [vnfc('1', 'VDU1', '10.0.0.1')])).toBe(false);
    expect(hasCluster(instance(['kubernetes']), [])).toBe(false);
    expect(hasCluster(instance(['openstack', 'kubernetes']), [vnfc('1', 'm', '10.0.0.1')])).toBe(true);
  });

  it('shows nodes with the VMs that have their addresses, masters first, and VMs of which the cluster knows nothing', () => {
    const vnfcs = [vnfc('1', 'workerNode', '10.0.0.3'), vnfc('2', 'masterNode', '10.0.0.1'), vnfc('3', 'workerNode', '10.0.0.4')];
    const nodes = [node('worker3', '10.0.0.3'), node('master1', '10.0.0.1', { role: 'master' }), node('stranger', '10.9.9.9')];
    const members = membersOf(instance([]), vnfcs, nodes);
    expect(members.map(({ role, node: of, vnfc: vm }) => [role, of?.name, vm?.id])).toEqual([
      ['master', 'master1', '2'],
      ['worker', 'worker3', '1'],
      ['worker', 'stranger', undefined],
      ['worker', undefined, '3'],
    ]);
  });

  it('has masters by their certificates or the names of the guides where it says nothing', () => {
    const vnfcs = [
      vnfc('1', 'masterNode', '10.0.0.1'),
      vnfc('2', 'node', '10.0.0.2'),
      vnfc('3', 'workerNode', '10.0.0.3'),
      vnfc('4', 'lb', '10.0.0.4'),
    ];
    expect(membersOf(instance([], ['10.0.0.2']), vnfcs, []).map(({ role }) => role)).toEqual(['master', 'master', 'worker', '']);
  });

  it('tells nodes that are not Ready, say nothing or take no pods apart', () => {
    expect(standOf(node('a', ''))).toEqual({ text: 'Ready', tone: 'good' });
    expect(standOf(node('a', '', { schedulable: false })).text).toBe('Ready, cordoned');
    expect(standOf(node('a', '', { ready: 'False' })).text).toBe('NotReady');
    expect(standOf(node('a', '', { ready: 'Unknown', schedulable: false }))).toEqual({ text: 'NotReady, silent', tone: 'bad' });
  });
});
