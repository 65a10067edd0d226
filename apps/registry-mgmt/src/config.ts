import { WorkerServiceConfig } from '@windlass/service-kit';

/** What registry-mgmt can be told. */
export class Config extends WorkerServiceConfig {}
