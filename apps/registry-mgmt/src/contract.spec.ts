import { driverContractSuite, validateRequestOf } from '@windlass/driver-kit/testing';
import { registryParts } from './service.js';

driverContractSuite('the driver of registries', {
  parts: registryParts,
  params: {},
  secrets: [],
  request: validateRequestOf(),
  hooks: [],
});
