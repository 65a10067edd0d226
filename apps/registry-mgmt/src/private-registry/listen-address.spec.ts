import type { Vnfc } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { listenAddress } from './listen-address.js';

const vm = (...addresses: string[]) => ({ name: 'vm', cps: [{ cpdId: 'CP1', addresses }] }) as unknown as Vnfc;

describe('the address that a registry listens at', () => {
  it('is that of IPv4 of the CP that is named, in whatever order Neutron lists both', () => {
    expect(listenAddress(vm('fd16::7', '10.16.0.7'), 'CP1')).toBe('10.16.0.7');
    expect(listenAddress(vm('10.16.0.7', 'fd16::7'), 'CP1')).toBe('10.16.0.7');
    expect(listenAddress(vm('fd16::7'), 'CP1')).toBe('fd16::7');
  });

  it('is every one where no CP is named and there is one of each family, and none where the CP has none', () => {
    expect(listenAddress(vm('fd16::7', '10.16.0.7'), undefined)).toBeUndefined();
    expect(listenAddress(vm('10.16.0.7'), undefined)).toBe('10.16.0.7');
    expect(() => listenAddress(vm(), 'CP1')).toThrow('no address to listen at');
  });
});
