import { INFRA_SERVICE } from '@windlass/lifecycle';
import { KeyPair } from '@windlass/messaging';
import type { ServiceDefinition } from '@windlass/service-kit';
import { InfraDriverConfig } from './config.js';
import { startInfraDriver } from './start-infra-driver.js';

export const infraDriver: ServiceDefinition<InfraDriverConfig> = {
  name: INFRA_SERVICE,
  version: '0.1.0',
  description: 'does what OpenStack is asked for: stacks, images, and what they consist of',
  config: InfraDriverConfig,
  start: async ({ config, log, replica, nats }) =>
    startInfraDriver({
      link: await nats(),
      keys: KeyPair.generate(),
      settings: { stackWithin: config.stackWithin, absentFor: config.stackAbsentFor },
      replica,
      log,
      ...(config.natsUser === undefined ? {} : { user: config.natsUser }),
    }),
};
