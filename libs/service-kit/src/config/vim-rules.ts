import type { Secret } from '@windlass/foundation';
import { AddressRules, HttpProxy } from '@windlass/outbound';
import { asOutboundRules } from './outbound-rules.js';
import { asProxyUrl } from './proxy-url.js';
import { required, Variable, type VariableOptions } from './variable.js';

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

/** By what OpenStack's APIs are reached. */
export interface VimProxyConfig {
  readonly vimProxy: Secret | undefined;
  readonly vimNoProxy: readonly string[];
}

const VIM_PROXY: VariableOptions<Secret | undefined> = {
  name: 'VIM_PROXY',
  meaning:
    'the HTTP proxy by which the APIs of OpenStack are reached, Keystone and what its catalog names: by CONNECT for https; the rules of VIM_ALLOW, VIM_DENY and VIM_ONLY hold all the same. Neither SSH nor Kubernetes goes by it, and http_proxy and its like are not looked at',
  expected: 'a URL such as http://user:password@proxy.example.com:3128, whose password is shown nowhere',
  read: asProxyUrl,
  secret: true,
  optional: true,
};

const VIM_NO_PROXY: VariableOptions<readonly string[]> = {
  name: 'VIM_NO_PROXY',
  meaning: 'what is reached without VIM_PROXY; a name is compared as it stands in the URL',
  expected: 'as VIM_DENY',
  read: asOutboundRules('with hosts'),
};

/** A configuration class with the proxy for OpenStack's APIs beside what it has already. */
export function withVimProxy<C extends object>(config: new () => C): new () => C & VimProxyConfig {
  const Config: new () => object = config;
  class WithVimProxy extends Config implements VimProxyConfig {
    @Variable(VIM_PROXY)
    readonly vimProxy: Secret | undefined = required();

    @Variable(VIM_NO_PROXY)
    readonly vimNoProxy: readonly string[] = [];
  }
  return WithVimProxy as new () => C & VimProxyConfig;
}

/** The rules as configured, and the proxy where there is one. VIMs and machines live in private networks. */
export function vimRulesOf(config: VimRulesConfig & Partial<VimProxyConfig>): AddressRules {
  const { vimAllow: allow, vimDeny: deny, vimOnly: only, vimProxy, vimNoProxy } = config;
  const proxy = vimProxy === undefined ? undefined : new HttpProxy(vimProxy, vimNoProxy);
  return new AddressRules({ allow, deny, only, privateNetworks: true }, proxy);
}
