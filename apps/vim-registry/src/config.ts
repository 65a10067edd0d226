import { CoreServiceConfig, withVimRules } from '@windlass/service-kit';

/** What the VIM registry can be told. */
export class VimRegistryConfig extends withVimRules(CoreServiceConfig) {}
