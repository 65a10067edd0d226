import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  ClaimVimClient,
  DriverService,
  JetStreamStrategy,
  PackageClient,
  RequestClient,
  stepLog,
  type Enrolment,
  type MessagingLog,
  type NatsCoordinatorClient,
  type NatsLink,
} from '@windlass/messaging';
import type { Hosts } from '@windlass/mgmt-driver';
import { StepWorker, type BoundAction } from '@windlass/saga';
import type { RunningService } from '@windlass/service-kit';
import type { PureDriver } from '../driver/define-driver.js';
import { NatsPackageFiles, type PackageFiles } from '../files/package-files.js';
import { STEPS_AT_ONCE } from './driver-config.js';
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

/** What a driver runs with. */
export interface DriverDependencies extends DriverParts {
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
 * Starts a driver on NATS: it answers what it is asked, its worker runs the steps of its service, and it is announced until lcm-api has kept
 * it. Not `ready` before that: until then requests for the driver are refused.
 */
export async function startDriver(dependencies: DriverDependencies): Promise<RunningService> {
  const { driver, actions, link, enrolment, coordinator, hosts, replica, log, user, stepsAtOnce = STEPS_AT_ONCE } = dependencies;
  const { service } = driver.describe();
  const client = new RequestClient(link);
  const packages = new NatsPackageFiles(new PackageClient(client, service, enrolment));
  const worker = new StepWorker({
    service,
    worker: replica,
    actions: actions({ hosts, vims: new ClaimVimClient(client, coordinator), packages }),
    coordinator,
    ...stepLog(log),
  });
  const { admitted } = enrolment;
  const strategy = new JetStreamStrategy({ link, service, log, admitted, ...(user === undefined ? {} : { user }) });
  const module = { module: DriverModule, controllers: [wakeUpsOf(service, worker, stepsAtOnce)] };
  const app = await NestFactory.createMicroservice(module, { strategy, logger: false });
  await app.listen();
  const served = new DriverService({ link, driver, enrolment, log }).start();
  return {
    get ready() {
      return strategy.ready && served.kept;
    },
    stop: async () => {
      await Promise.all([strategy.stopTaking(), served.stop()]);
      await worker.stop();
      await app.close();
    },
  };
}
