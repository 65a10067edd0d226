import { defineDriver, STORAGE_SERVICE } from '@windlass/driver-kit';
import { ACTIONS } from './actions.js';

/** No VNFD names this driver. It has no hooks, and exists to announce what the service offers. */
export const STORAGE_DRIVER = 'windlass-storage';

/** What storage-mgmt does for drivers of other services: all of its actions are for their plans. */
export const storageDriver = defineDriver({
  name: STORAGE_DRIVER,
  version: '0.1.0',
  service: STORAGE_SERVICE,
  actions: ACTIONS,
  offers: ACTIONS,
  parameters: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
  hooks: {},
});
