import { CoreServiceConfig, Variable, VIM_ALLOW, VIM_DENY, VIM_ONLY, type VimRulesConfig } from '@windlass/service-kit';

/** What the VIM registry can be told. */
export class VimRegistryConfig extends CoreServiceConfig implements VimRulesConfig {
  @Variable(VIM_ALLOW)
  readonly vimAllow: readonly string[] = [];

  @Variable(VIM_DENY)
  readonly vimDeny: readonly string[] = [];

  @Variable(VIM_ONLY)
  readonly vimOnly: readonly string[] = [];
}
