import { enrol, type ServiceDefinition } from '@windlass/service-kit';
import { Config } from './config.js';

/** Starts, connects and answers its health checks; it has no drivers yet. */
export const storageMgmt: ServiceDefinition<Config> = {
  name: 'storage-mgmt',
  version: '0.1.0',
  description: 'storage servers, NFS exports and PersistentVolumes; its drivers come with a later release',
  config: Config,
  start: async (context) => {
    const link = await context.nats();
    const enrolment = enrol('storage-mgmt', context, link);
    return {
      get ready() {
        return link.state.connected;
      },
      stop: () => enrolment.stop(),
    };
  },
};
