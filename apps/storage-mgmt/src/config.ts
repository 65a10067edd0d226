import { DriverServiceConfig } from '@windlass/driver-kit';

/** What storage-mgmt can be told. */
export class Config extends DriverServiceConfig {}
