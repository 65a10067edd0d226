import { AddressRules } from '@windlass/outbound';
import { asOutboundRules } from './outbound-rules.js';
import type { VariableOptions } from './variable.js';

/** Where connections to VIMs and to machines may go: tenants name those addresses, and the catalogs of their VIMs do. */
export interface VimRulesConfig {
  readonly vimAllow: readonly string[];
  readonly vimDeny: readonly string[];
  readonly vimOnly: readonly string[];
}

const WHAT = 'connections to VIMs (what their catalogs name included) and by SSH to machines';

export const VIM_ALLOW: VariableOptions<readonly string[]> = {
  name: 'VIM_ALLOW',
  meaning: `addresses that ${WHAT} may go to although they are refused otherwise: loopback, link-local, multicast, metadata services of clouds`,
  expected: 'addresses, with a port or without, and CIDRs, separated by commas, such as 127.0.0.1:5000; no host names',
  read: asOutboundRules('without hosts'),
};

export const VIM_DENY: VariableOptions<readonly string[]> = {
  name: 'VIM_DENY',
  meaning: `where ${WHAT} never go`,
  expected: 'host names (*.example.com for those below), addresses, both with a port or without, and CIDRs, separated by commas',
  read: asOutboundRules('with hosts'),
};

export const VIM_ONLY: VariableOptions<readonly string[]> = {
  name: 'VIM_ONLY',
  meaning: `where alone ${WHAT} go; without it wherever they may: public and private networks`,
  expected: 'as VIM_DENY',
  read: asOutboundRules('with hosts'),
};

/** The rules as configured. VIMs and machines live in private networks. */
export const vimRulesOf = ({ vimAllow: allow, vimDeny: deny, vimOnly: only }: VimRulesConfig): AddressRules =>
  new AddressRules({ allow, deny, only, privateNetworks: true });
