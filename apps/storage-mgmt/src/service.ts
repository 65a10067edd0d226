import { driverService, oneDriver, STORAGE_SERVICE, type DriverParts } from '@windlass/driver-kit';
import type { ServiceDefinition } from '@windlass/service-kit';
import { boundActions } from './actions.js';
import { Config } from './config.js';
import { storageDriver } from './storage.driver.js';

/** The driver that offers, and its actions. */
export const storageParts: DriverParts = { driver: storageDriver, actions: boundActions };

export const storageMgmt: ServiceDefinition<Config> = driverService({
  name: STORAGE_SERVICE,
  version: '0.1.0',
  description: 'storage for clusters: NFS servers of Cinder volumes, NFS clients and PersistentVolumes',
  config: Config,
  parts: () => oneDriver(storageParts),
});
