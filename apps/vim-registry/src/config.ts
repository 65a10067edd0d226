import { CoreServiceConfig } from '@windlass/service-kit';

/** What the VIM registry can be told. */
export class VimRegistryConfig extends CoreServiceConfig {}
