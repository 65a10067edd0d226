import { expect, it } from 'vitest';
import { missingOfKernel, processorsFor } from './container-machine.js';

const MODULES = ['overlay', 'br_netfilter', 'vxlan', 'nf_conntrack'];

it('a kernel that has all is missing nothing', () => {
  expect(missingOfKernel({ modules: MODULES, connections: 131_072 })).toBeUndefined();
});

it('a kernel without modules that nodes need is refused by their names, with what to do', () => {
  expect(missingOfKernel({ modules: ['overlay', 'nf_conntrack'], connections: 262_144 })).toBe(
    "the kernel has no br_netfilter, vxlan; load them with modprobe, or run on Debian 12's own kernel",
  );
});

it('a limit of connections that kube-proxy would want to raise is refused with the command that raises it', () => {
  expect(missingOfKernel({ modules: MODULES, connections: 65_536 })).toMatch(
    /is 65536.*sysctl -w net\.netfilter\.nf_conntrack_max=262144$/,
  );
});

it('a VM has no more processors than kube-proxy is content with', () => {
  expect([processorsFor(262_144, 2), processorsFor(262_144, 8), processorsFor(262_144, 32)]).toEqual([
    undefined,
    undefined,
    '0-7',
  ]);
});
