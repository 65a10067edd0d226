import { Module, type DynamicModule } from '@nestjs/common';
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
import { StepWorker } from '@windlass/saga';
import { boundActions, k8sActions } from './actions/bound-actions.js';
import { KubernetesDriver } from './driver/kubernetes.driver.js';
import { K8S_SERVICE } from './driver/node-steps.js';
import { K8sController } from './k8s.controller.js';
import { NatsPackageFiles } from './package-files.js';
import type { K8sMgmtSettings } from './settings.js';

export interface K8sMgmtDependencies {
  link: NatsLink;
  enrolment: Enrolment;
  /** The coordinators; it speaks for the claims that they grant. */
  coordinator: NatsCoordinatorClient;
  /** The machines. libs/remote-host reaches them by SSH; its connections are closed by whoever opened it. */
  hosts: Hosts;
  settings: K8sMgmtSettings;
  /** Names this replica. */
  replica: string;
  log: MessagingLog;
  /** The NATS user, whose inboxes are used. */
  user?: string;
}

@Module({})
class K8sMgmtModule {
  static with(worker: StepWorker): DynamicModule {
    return { module: K8sMgmtModule, controllers: [K8sController], providers: [{ provide: StepWorker, useValue: worker }] };
  }
}

/** Starts a worker of the steps on clusters, with the driver that plans them. Announced until lcm-api has kept it. */
export async function startK8sMgmt(dependencies: K8sMgmtDependencies) {
  const { link, enrolment, coordinator, hosts, settings, replica, log, user } = dependencies;
  const client = new RequestClient(link);
  const vims = new ClaimVimClient(client, coordinator);
  const worker = new StepWorker({
    service: K8S_SERVICE,
    worker: replica,
    actions: boundActions({ hosts, vims, packages: new NatsPackageFiles(new PackageClient(client, K8S_SERVICE, enrolment)) }),
    coordinator,
    ...stepLog(log),
  });
  const driver = new KubernetesDriver({ settings, actions: k8sActions });
  const { admitted } = enrolment;
  const strategy = new JetStreamStrategy({ link, service: K8S_SERVICE, log, admitted, ...(user === undefined ? {} : { user }) });
  const app = await NestFactory.createMicroservice(K8sMgmtModule.with(worker), { strategy, logger: false });
  await app.listen();
  const served = new DriverService({ link, driver, enrolment, log }).start();
  return {
    get ready() {
      // Until it is kept, requests for its driver are refused.
      return strategy.ready && served.kept;
    },
    stop: async () => {
      await Promise.all([strategy.stopTaking(), served.stop()]);
      await worker.stop();
      await app.close();
    },
  };
}
