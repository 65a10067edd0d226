import { WorkerServiceConfig } from '@windlass/service-kit';

/** What storage-mgmt can be told. */
export class Config extends WorkerServiceConfig {}
