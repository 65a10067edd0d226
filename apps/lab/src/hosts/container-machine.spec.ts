import { expect, it } from 'vitest';
import { missingOfKernel } from './container-machine.js';

it('a kernel that has all is missing nothing', () => {
  expect(missingOfKernel(['overlay', 'br_netfilter', 'vxlan', 'nf_conntrack', 'ext4'])).toBeUndefined();
});

it('a kernel without modules that nodes need is refused by their names, with what to do', () => {
  expect(missingOfKernel(['overlay', 'nf_conntrack'])).toBe(
    "the kernel has no br_netfilter, vxlan; load them with modprobe, or run on Debian 12's own kernel",
  );
});
