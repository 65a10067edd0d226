import { AddressRules } from '@windlass/outbound';
import { asOutboundRules } from './outbound-rules.js';
import { Variable, type VariableOptions } from './variable.js';

/** Where connections to VIMs and to machines may go: tenants name those addresses, and the catalogs of their VIMs do. */
export interface VimRulesConfig {
  readonly vimAllow: readonly string[];
  readonly vimDeny: readonly string[];
  readonly vimOnly: readonly string[];
}

const WHAT = 'connections to VIMs (what their catalogs name included) and by SSH to machines';

const VIM_ALLOW: VariableOptions<readonly string[]> = {
  name: 'VIM_ALLOW',
  meaning: `addresses that ${WHAT} may go to although they are refused otherwise: loopback, link-local, multicast, metadata services of clouds`,
  expected: 'addresses, with a port or without, and CIDRs, separated by commas, such as 127.0.0.1:5000; no host names',
  read: asOutboundRules('without hosts'),
};

const VIM_DENY: VariableOptions<readonly string[]> = {
  name: 'VIM_DENY',
  meaning: `where ${WHAT} never go`,
  expected: 'host names (*.example.com for those below), addresses, both with a port or without, and CIDRs, separated by commas',
  read: asOutboundRules('with hosts'),
};

const VIM_ONLY: VariableOptions<readonly string[]> = {
  name: 'VIM_ONLY',
  meaning: `where alone ${WHAT} go; without it wherever they may: public and private networks`,
  expected: 'as VIM_DENY',
  read: asOutboundRules('with hosts'),
};

/** A configuration class with the rules for VIMs and machines beside what it has already. */
export function withVimRules<C extends object>(config: new () => C): new () => C & VimRulesConfig {
  const Config: new () => object = config;
  class WithVimRules extends Config implements VimRulesConfig {
    @Variable(VIM_ALLOW)
    readonly vimAllow: readonly string[] = [];

    @Variable(VIM_DENY)
    readonly vimDeny: readonly string[] = [];

    @Variable(VIM_ONLY)
    readonly vimOnly: readonly string[] = [];
  }
  return WithVimRules as new () => C & VimRulesConfig;
}

/** The rules as configured. VIMs and machines live in private networks. */
export const vimRulesOf = ({ vimAllow: allow, vimDeny: deny, vimOnly: only }: VimRulesConfig): AddressRules =>
  new AddressRules({ allow, deny, only, privateNetworks: true });
