import { CoreServiceConfig } from '@windlass/service-kit';

/** What the coordinator can be told. */
export class CoordinatorConfig extends CoreServiceConfig {}
