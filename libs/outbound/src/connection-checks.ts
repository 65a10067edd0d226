import dns from 'node:dns/promises';
import type { AddressRules } from './address-rules.js';
import { ADDRESS_REFUSED } from './errors.js';

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>;

/** As the machine does it: hosts file, DNS. */
export const systemResolve: Resolve = (host) => dns.lookup(host, { all: true });

/** What stands between a host's name and a connection. */
export interface ConnectionChecks {
  /** Without them a connection goes anywhere: the place is named by who runs this process. */
  readonly rules: AddressRules | undefined;
  /** {@link systemResolve} unless given. */
  readonly resolve?: Resolve;
}

export const refused = (): Error => Object.assign(new Error('the address is refused'), { code: ADDRESS_REFUSED });
