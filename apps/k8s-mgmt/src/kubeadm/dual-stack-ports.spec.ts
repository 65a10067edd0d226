import { targetOf, type MachineInput } from '@windlass/driver-kit';
import type { Vnfc } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';
import { vnfc, withVms } from '../testing/requests.js';

const both = (role: 'master' | 'worker', n: number, address: string): Vnfc => {
  const vm = vnfc(role, n, address);
  return { ...vm, cps: vm.cps.map((cp) => ({ ...cp, addresses: [`fd00::${n}`, ...cp.addresses] })) };
};
const master = both('master', 1, '10.10.0.24');
const worker = both('worker', 1, '10.10.0.31');

describe('ports of two stacks, whose first address is one of IPv6', () => {
  it('make a cluster by their addresses of IPv4', async () => {
    const { world, runner, plan } = bench({ hook: withVms([master, worker]) });
    expect(JSON.stringify(plan.common)).not.toContain('fd00::');
    expect(plan.common).toMatchObject({
      cluster: {
        address: '10.10.0.24',
        nodes: [
          { name: 'master24', address: '10.10.0.24' },
          { name: 'worker31', address: '10.10.0.31' },
        ],
      },
    });
    await runner.run();
    expect([...world.listed].map(([name, { address }]) => `${name} ${address}`)).toEqual([
      'master24 10.10.0.24',
      'worker31 10.10.0.31',
    ]);
  });

  it('are logged in to by IPv4 too, by whatever they have where they have none of it, and before all by a floating IP', () => {
    const at = (cp: Partial<Vnfc['cps'][number]>) => {
      const cps = worker.cps.map((own) => ({ ...own, ...cp }));
      return targetOf({ name: 'w', sshCp: 'workerNode_CP2', username: 'u', vnfc: { ...worker, cps } } as MachineInput).address;
    };
    expect(at({})).toBe('10.10.0.31');
    expect(at({ addresses: ['fd00::1'] })).toBe('fd00::1');
    expect(at({ floatingIp: '172.24.4.9' })).toBe('172.24.4.9');
  });
});
