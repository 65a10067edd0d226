import { driverContractSuite, validateRequestOf } from '@windlass/driver-kit/testing';
import { storageParts } from '../service.js';

driverContractSuite('what storage-mgmt offers', {
  parts: storageParts,
  params: {},
  secrets: [],
  request: validateRequestOf(),
  hooks: [],
});
