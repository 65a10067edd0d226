import { minutes } from '@windlass/foundation';
import { NatsCoordinatorClient, NatsHostKeys, RequestClient } from '@windlass/messaging';
import { RemoteHosts } from '@windlass/remote-host';
import { enrol, vimRulesOf, type ServiceDefinition } from '@windlass/service-kit';
import type { DriverServiceConfig } from './driver-config.js';
import { startDrivers, type ServiceParts } from './start-drivers.js';

/** A connection to a host that nothing uses is closed after this. */
const IDLE = minutes(1);

/** What a service of drivers is, and what it runs. */
export interface DriverServiceOptions<C extends DriverServiceConfig> extends Omit<ServiceDefinition<C>, 'start'> {
  /** The drivers and their actions as they are configured. */
  parts: (config: C) => ServiceParts;
}

/**
 * The service of management drivers, for `runService`: connected, enrolled, announced, with hosts reached by SSH whose keys the coordinators
 * pin. Its key is enrolled for the service that the drivers describe.
 */
export function driverService<C extends DriverServiceConfig>({
  parts,
  ...definition
}: DriverServiceOptions<C>): ServiceDefinition<C> {
  return {
    ...definition,
    start: async (context) => {
      const { config, log, replica, nats } = context;
      const made = parts(config);
      const link = await nats();
      const enrolment = enrol(made.drivers[0].describe().service, context, link);
      const client = new RequestClient(link);
      const coordinator = new NatsCoordinatorClient(client, enrolment);
      const hosts = new RemoteHosts({
        hostKeys: new NatsHostKeys(client, coordinator),
        rules: vimRulesOf(config),
        patience: config.sshPatience,
        loginPatience: config.sshLoginPatience,
        idle: IDLE,
      });
      const user = config.natsUser === undefined ? {} : { user: config.natsUser };
      const { stepsAtOnce } = config;
      const service = await startDrivers({ ...made, link, enrolment, coordinator, hosts, replica, log, stepsAtOnce, ...user });
      return {
        get ready() {
          return service.ready;
        },
        stop: async () => {
          await service.stop();
          await enrolment.stop();
          hosts.close();
        },
      };
    },
  };
}
