import { TerminalError } from '@windlass/foundation';
import { ipv4Among } from '@windlass/driver-kit';
import type { Vnfc } from '@windlass/mgmt-driver';
import { isIPv6 } from 'node:net';

/**
 * The address at which a registry listens: that of the named CP, the IPv4 one where it has both; without a name the VM's only address. Undefined,
 * which means all addresses, where the VM has several: nothing says by which its users come.
 * @throws TerminalError `registry.no-address` where the named CP has no address
 */
export function listenAddress({ name, cps }: Vnfc, cp: string | undefined): string | undefined {
  if (cp === undefined) {
    const [address, ...others] = cps.flatMap(({ addresses }) => addresses);
    return others.length === 0 ? address : undefined;
  }
  const { addresses = [] } = cps.find(({ cpdId }) => cpdId === cp) ?? {};
  const address = ipv4Among(addresses) ?? addresses[0];
  if (address === undefined)
    throw new TerminalError('registry.no-address', `the CP ${cp} of ${name} has no address to listen at`);
  return address;
}

/** As programs write an address before a port. */
export const bracketed = (address: string): string => (isIPv6(address) ? `[${address}]` : address);
