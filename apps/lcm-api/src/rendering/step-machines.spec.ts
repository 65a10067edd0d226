import type { ObservedMachine } from '@windlass/persistence';
import { describe, expect, it } from 'vitest';
import { MOST_MACHINES, stepMachines } from './step-machines.js';

const machine = (id: string, address: string, name = 'workerNode'): ObservedMachine => ({
  id: `vnfc-${id}`,
  resourceId: `server-${id}`,
  name,
  cps: [{ cpdId: 'CP', resourceId: `port-${id}`, mac: null, addresses: [address], floatingIp: null }],
});

type Known = Parameters<typeof stepMachines>[0][number];

const step = (id: string, target: string | null, hosts: string[] = [], detail?: string): Known => ({
  id,
  target,
  limitKeys: [...hosts.map((host) => `host:instance/${host}`), 'service:k8s-mgmt'],
  error: detail === undefined ? null : { kind: 'terminal', code: 'x', detail, status: 422 },
});

const known = [machine('m', '10.0.0.1', 'masterNode'), machine('a', '10.0.0.11'), machine('b', '10.0.0.12')];
const all = ['server-m', 'server-a', 'server-b'];
const plan = [
  step('prepare:m', 'master1', ['server-m']),
  step('prepare:a', 'worker11', ['server-a']),
  step('prepare:b', 'worker12', ['vnfc-b']),
];
const master = { vnfcId: 'vnfc-m', name: 'master1', address: '10.0.0.1' };
const worker11 = { vnfcId: 'vnfc-a', name: 'worker11', address: '10.0.0.11' };

const of = (more: Known) => stepMachines([...plan, more], known)(more.id);

describe('the machines of a step', () => {
  it('are called as the steps on them alone call them, by whichever id they are counted', () => {
    const { machines, machineCount, failedOn } = of(step('inspect', '3 nodes', all));
    expect([machines.map(({ name }) => name), machineCount, failedOn]).toEqual([['master1', 'worker11', 'worker12'], 3, []]);
  });

  it('have their server’s name where the steps call them differently, or by their address', () => {
    const steps = [
      step('1', 'the configuration', ['server-a']),
      step('2', 'the certificate', ['server-a']),
      step('3', 'worker 10.0.0.12', ['server-b']),
    ];
    const machines = stepMachines(steps, known);
    expect(['1', '3'].flatMap((id) => machines(id).machines)).toMatchObject([{ name: 'workerNode' }, { name: 'workerNode' }]);
  });

  it('are the one whose address is the target, where the plan counts none', () => {
    expect(of(step('network', '10.0.0.1'))).toEqual({ machines: [master], machineCount: 1, failedOn: [] });
    expect(of(step('network', '10.0.0.100'))).toEqual({ machines: [], machineCount: 0, failedOn: [] });
  });

  it('are none of a resource, and none where the operation knows no machine', () => {
    expect(of(step('create-stack', 'vnf-1')).machineCount).toBe(0);
    expect(stepMachines([step('1', 'worker11', ['server-a'])], [])('1').machineCount).toBe(0);
  });

  it('are told up to a bound, those that failed first', () => {
    const many = Array.from({ length: 200 }, (_, n) => machine(`n${n}`, `10.1.0.${n}`));
    const each = step(
      'inspect',
      '200 nodes',
      many.map(({ resourceId }) => resourceId),
      '10.1.0.150 is away',
    );
    const { machines, machineCount, failedOn } = stepMachines([each], many)('inspect');
    expect([machines.length, machines[0]?.address, machineCount, failedOn.length]).toEqual([MOST_MACHINES, '10.1.0.150', 200, 1]);
  });
});

describe('a step fails on', () => {
  it.each([
    [
      'an address',
      "10.0.0.11's SSH host key is not the one given beforehand: expected a, got b. Nothing was sent to it (resource 77).",
    ],
    ['a login', 'ubuntu@10.0.0.11:22 can’t be reached: connect ETIMEDOUT'],
    ['a name', 'the nodes can’t become a cluster: worker11 has 1 CPU'],
    ['a server', 'resource server-a: it is gone'],
  ])('the machine of several that its error names by %s', (_by, detail) => {
    expect(of(step('inspect', '3 nodes', all, detail)).failedOn).toEqual([worker11]);
  });

  it('no machine that the error does not name whole', () => {
    for (const detail of ['10.0.0.111 is away', 'worker112 has 1 CPU', '110.0.0.11:22', 'it failed'])
      expect(of(step('inspect', '3 nodes', all, detail)).failedOn).toEqual([]);
  });

  it('its one machine, whatever other its error names', () => {
    expect(of(step('join', 'worker11', ['server-a'], 'kubeadm join 10.0.0.1:6443 ended with 1')).failedOn).toEqual([worker11]);
  });

  it('a machine by address alone, where it is of none: a name there may be that of what was to come', () => {
    expect(of(step('verify', 'the cluster', [], '10.0.0.11 is not Ready')).failedOn).toEqual([worker11]);
    expect(of(step('create-stack', 'vnf-1', [], 'workerNode: no valid host')).failedOn).toEqual([]);
  });
});
