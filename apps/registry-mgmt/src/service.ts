import { enrol, type ServiceDefinition } from '@windlass/service-kit';
import { Config } from './config.js';

/** Starts, connects and answers its health checks; it has no drivers yet. */
export const registryMgmt: ServiceDefinition<Config> = {
  name: 'registry-mgmt',
  version: '0.1.0',
  description: 'private registries and the nodes’ connections to them; its drivers come with a later release',
  config: Config,
  start: async (context) => {
    const link = await context.nats();
    const enrolment = enrol('registry-mgmt', context, link);
    return {
      get ready() {
        return link.state.connected;
      },
      stop: () => enrolment.stop(),
    };
  },
};
