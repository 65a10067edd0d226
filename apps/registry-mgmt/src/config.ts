import { DriverServiceConfig } from '@windlass/driver-kit';

/** What registry-mgmt can be told. */
export class Config extends DriverServiceConfig {}
