import {
  checkVolumeManifests,
  defineDriver,
  installNfsClient,
  setUpStorage,
  STORAGE_SERVICE,
  tryNfsMounts,
} from '@windlass/driver-kit';
import { volumeActions } from '../volumes/volume-actions.js';

/** No VNFD names this driver. It has no hooks, and exists to announce what the service offers. */
export const STORAGE_DRIVER = 'windlass-storage';

/** Every action of the service. All are for the plans of other services' drivers. */
const actions = [setUpStorage, installNfsClient, checkVolumeManifests, tryNfsMounts, ...volumeActions];

/** What storage-mgmt does for drivers of other services. */
export const storageDriver = defineDriver({
  name: STORAGE_DRIVER,
  version: '0.1.0',
  service: STORAGE_SERVICE,
  actions,
  offers: actions,
  parameters: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
  hooks: {},
});
