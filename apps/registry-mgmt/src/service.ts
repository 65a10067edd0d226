import { defineDriver, driverService, oneDriver, REGISTRY_SERVICE, type DriverParts } from '@windlass/driver-kit';
import type { ServiceDefinition } from '@windlass/service-kit';
import { ACTIONS, boundActions, OFFERS } from './actions.js';
import { Config } from './config.js';
import { checkHeal } from './private-registry/check-heal.js';
import { checkInstantiation } from './private-registry/check-instantiation.js';
import { checkScale, checkScaleToLevel } from './private-registry/check-scale.js';
import { operationParameters, parameters } from './private-registry/parameters.js';
import { healEnd, instantiateEnd } from './private-registry/plan.js';

/** The driver's name in VNFDs. */
export const PRIVATE_REGISTRY_DRIVER = 'mgmt-drivers-private-registry';

/** The driver of registries, which offers the connecting of nodes to them. */
export const registryParts: DriverParts = {
  driver: defineDriver({
    name: PRIVATE_REGISTRY_DRIVER,
    version: '0.1.0',
    service: REGISTRY_SERVICE,
    actions: ACTIONS,
    offers: OFFERS,
    parameters,
    operationParameters,
    hooks: { instantiate_end: instantiateEnd, heal_end: healEnd },
    checks: { INSTANTIATE: checkInstantiation, SCALE: checkScale, SCALE_TO_LEVEL: checkScaleToLevel, HEAL: checkHeal },
  }),
  actions: boundActions,
};

export const registryMgmt: ServiceDefinition<Config> = driverService({
  name: REGISTRY_SERVICE,
  version: '0.1.0',
  description: 'private registries and the nodes’ connections to them',
  config: Config,
  parts: () => oneDriver(registryParts),
});
