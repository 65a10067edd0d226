import { TerminalError } from '@windlass/foundation';
import { ipv4Among } from '@windlass/driver-kit';
import type { Vnfc } from '@windlass/mgmt-driver';
import { isIPv6 } from 'node:net';

/**
 * The address that a registry listens at: the named CP's, that of IPv4 where it has one of each family; without a name the only one that the VM has. Undefined, which is all of them,
 * where it has more: nobody has said by which its users come.
 * @throws TerminalError `registry.no-address` where the CP that was named has none
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
