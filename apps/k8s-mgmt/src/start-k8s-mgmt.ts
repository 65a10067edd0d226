import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { asWindlassError, seconds, waitUntil, type Duration } from '@windlass/foundation';
import {
  announceContract,
  JetStreamStrategy,
  NatsCoordinatorClient,
  RequestClient,
  PackageClient,
  VimClient,
  type Enrolment,
  type MessagingLog,
  type NatsLink,
} from '@windlass/messaging';
import type { DriverDescription, Hosts } from '@windlass/mgmt-driver';
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
  static with(worker: StepWorker, driver: KubernetesDriver): DynamicModule {
    return {
      module: K8sMgmtModule,
      controllers: [K8sController],
      providers: [
        { provide: StepWorker, useValue: worker },
        { provide: KubernetesDriver, useValue: driver },
      ],
    };
  }
}

/** Starts a worker of the steps on clusters, with the driver that plans them. Announced until lcm-api has kept it. */
export async function startK8sMgmt({ link, enrolment, hosts, settings, replica, log, user }: K8sMgmtDependencies) {
  const client = new RequestClient(link);
  const vims = new VimClient(client);
  const worker = new StepWorker({
    service: K8S_SERVICE,
    worker: replica,
    actions: boundActions({ hosts, vims, packages: new NatsPackageFiles(new PackageClient(client, K8S_SERVICE, enrolment)) }),
    coordinator: new NatsCoordinatorClient(client, enrolment),
    onTrouble: ({ operationId, stepId }, error) =>
      log.error('a step ended in trouble', { operationId, stepId, error: error.message }),
  });
  const driver = new KubernetesDriver({ settings, actions: k8sActions, vims });
  const { admitted } = enrolment;
  const strategy = new JetStreamStrategy({ link, service: K8S_SERVICE, log, admitted, ...(user === undefined ? {} : { user }) });
  const app = await NestFactory.createMicroservice(K8sMgmtModule.with(worker, driver), { strategy, logger: false });
  await app.listen();
  const stopping = new AbortController();
  let kept = false;
  const announced = announce(client, driver.describe(), log, stopping.signal).then(() => (kept = true));
  return {
    get ready() {
      // Until it is kept, requests for its driver are refused.
      return strategy.ready && kept;
    },
    stop: async () => {
      stopping.abort();
      await announced;
      await strategy.stopTaking();
      await worker.stop();
      await app.close();
    },
  };
}

/** Between two announcements of a driver that nobody has kept yet. */
const ANNOUNCE_EVERY = seconds(0.5);
const ANNOUNCE_AT_MOST = seconds(2);
/** Longer than any process lives. */
const ALWAYS = Number.POSITIVE_INFINITY as Duration;

/** Until it is kept or the service stops. */
async function announce(
  client: RequestClient,
  description: DriverDescription,
  log: MessagingLog,
  signal: AbortSignal,
): Promise<void> {
  const once = async (): Promise<true | undefined> => {
    try {
      const { kept } = await client.request(announceContract, description, { signal });
      return kept ? true : undefined;
    } catch (error) {
      if (!signal.aborted)
        log.warn('the driver could not be announced yet', { driver: description.driver, error: asWindlassError(error).message });
      return undefined;
    }
  };
  const options = {
    for: 'the driver to be kept',
    within: ALWAYS,
    every: ANNOUNCE_EVERY,
    growth: 2,
    atMost: ANNOUNCE_AT_MOST,
    signal,
  };
  try {
    await waitUntil(once, options);
    log.info('the driver is announced', { driver: description.driver, version: description.version });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
