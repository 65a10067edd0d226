import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  ClaimVimClient,
  DriverService,
  JetStreamStrategy,
  NatsHostKeys,
  PackageClient,
  RequestClient,
  stepLog,
  type Enrolment,
  type MessagingLog,
  type NatsCoordinatorClient,
  type NatsLink,
} from '@windlass/messaging';
import type { Hosts, ManagementDriver } from '@windlass/mgmt-driver';
import { StepWorker, type BoundAction } from '@windlass/saga';
import { STEPS_AT_ONCE, type RunningService } from '@windlass/service-kit';
import type { PureDriver } from '../driver/define-driver.js';
import { NatsPackageFiles, type PackageFiles } from '../files/package-files.js';
import type { VimRegistry } from '../vim-registry.js';
import { wakeUpsOf } from './wake-ups.js';

/** What the actions of a driver may reach out to. */
export interface DriverPorts {
  /** The machines. */
  hosts: Hosts;
  /** The VIM that the claim's own VNF instance becomes. */
  vims: VimRegistry;
  /** Files of VNF packages. */
  packages: PackageFiles;
}

/** A driver, and what its steps do. */
export interface DriverParts {
  driver: PureDriver;
  /** Every action that the driver describes, bound to what it reaches out to. */
  actions: (ports: DriverPorts) => BoundAction[];
}

/** What a service has beside: host keys of the machines of a claim, as they are pinned. */
export interface ServicePorts extends DriverPorts {
  hostKeys: Pick<NatsHostKeys, 'get'>;
}

/** The drivers of one service, whose workers run the actions of all of them: each describes them all. */
export interface ServiceParts {
  drivers: readonly [ManagementDriver, ...ManagementDriver[]];
  /** As {@link DriverParts.actions}. */
  actions: (ports: ServicePorts) => BoundAction[];
}

/** The parts of a service that has one driver. */
export const oneDriver = ({ driver, actions }: DriverParts): ServiceParts => ({ drivers: [driver], actions });

/** What a service of drivers runs with. */
export interface DriverDependencies extends ServiceParts {
  link: NatsLink;
  /** Of the driver's service. Whoever started it stops it. */
  enrolment: Enrolment;
  /** The coordinators; it speaks for the claims that they grant. */
  coordinator: NatsCoordinatorClient;
  /** The machines. libs/remote-host reaches them by SSH; its connections are closed by whoever opened it. */
  hosts: Hosts;
  /** Names this replica. */
  replica: string;
  log: MessagingLog;
  /** The NATS user, whose inboxes are used. */
  user?: string;
  /** Steps that this replica runs at once; {@link STEPS_AT_ONCE} by default. */
  stepsAtOnce?: number;
}

@Module({})
class DriverModule {}

/**
 * Starts the drivers of a service on NATS. Each driver answers questions and announces itself until lcm-api has recorded it, and the service's worker
 * runs its steps. The service is `ready` once all are recorded: until then requests for the drivers are refused.
 */
export async function startDrivers(dependencies: DriverDependencies): Promise<RunningService> {
  const { drivers, actions, link, enrolment, coordinator, hosts, replica, log, user, stepsAtOnce = STEPS_AT_ONCE } = dependencies;
  const { service } = drivers[0].describe();
  const client = new RequestClient(link);
  const packages = new NatsPackageFiles(new PackageClient(client, service, enrolment));
  const hostKeys = new NatsHostKeys(client, coordinator);
  const worker = new StepWorker({
    service,
    worker: replica,
    actions: actions({ hosts, vims: new ClaimVimClient(client, coordinator), packages, hostKeys }),
    coordinator,
    ...stepLog(log),
  });
  const { admitted } = enrolment;
  const strategy = new JetStreamStrategy({ link, service, log, admitted, ...(user === undefined ? {} : { user }) });
  const module = { module: DriverModule, controllers: [wakeUpsOf(service, worker, stepsAtOnce)] };
  const app = await NestFactory.createMicroservice(module, { strategy, logger: false });
  await app.listen();
  const served = drivers.map((driver) => new DriverService({ link, driver, enrolment, log }).start());
  return {
    get ready() {
      return strategy.ready && served.every(({ kept }) => kept);
    },
    stop: async () => {
      await Promise.all([strategy.stopTaking(), ...served.map((each) => each.stop())]);
      await worker.stop();
      await app.close();
    },
  };
}
