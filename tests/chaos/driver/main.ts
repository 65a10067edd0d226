import 'reflect-metadata';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { asWindlassError, hours, minutes, seconds, waitUntil } from '@windlass/foundation';
import { announceContract, JetStreamStrategy, NatsCoordinatorClient, NatsHostKeys, RequestClient } from '@windlass/messaging';
import { RemoteHosts } from '@windlass/remote-host';
import { bindActions, StepWorker } from '@windlass/saga';
import { enrol, runService, type ServiceContext, type ServiceDefinition } from '@windlass/service-kit';
import { CHAOS_SERVICE, ChaosDriver } from './chaos.driver.js';
import { ChaosController } from './chaos.controller.js';
import { ChaosMgmtConfig } from './config.js';
import { keepLedger, LedgerContext } from './keep-ledger.action.js';

@Module({})
class ChaosModule {
  static with(worker: StepWorker, driver: ChaosDriver): DynamicModule {
    return {
      module: ChaosModule,
      controllers: [ChaosController],
      providers: [
        { provide: StepWorker, useValue: worker },
        { provide: ChaosDriver, useValue: driver },
      ],
    };
  }
}

/** Until it is kept or the service stops. */
async function announce(client: RequestClient, driver: ChaosDriver, { log, signal }: ServiceContext): Promise<boolean> {
  const once = async (): Promise<true | undefined> => {
    try {
      const { kept } = await client.request(announceContract, driver.describe(), { signal });
      return kept ? true : undefined;
    } catch (error) {
      if (!signal.aborted) log.warn('the driver could not be announced yet', { error: asWindlassError(error).message });
      return undefined;
    }
  };
  try {
    return await waitUntil(once, { for: 'the driver to be kept', within: hours(1), every: seconds(0.5), signal });
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

const chaosMgmt: ServiceDefinition<ChaosMgmtConfig> = {
  name: CHAOS_SERVICE,
  version: '1.0.0',
  description: 'the management driver of the chaos suite: keeps a ledger of its jobs on a host',
  config: ChaosMgmtConfig,
  start: async (context) => {
    const { config, log, replica, nats } = context;
    const link = await nats();
    const enrolment = enrol(CHAOS_SERVICE, context, link);
    const client = new RequestClient(link);
    const hosts = new RemoteHosts({
      hostKeys: new NatsHostKeys(client),
      jobsFolder: `${config.hostFolder}/jobs`,
      contain: 'plain',
      patience: seconds(20),
      idle: minutes(1),
    });
    const place = { port: config.hostPort, key: config.hostKey, folder: config.hostFolder };
    const worker = new StepWorker({
      service: CHAOS_SERVICE,
      worker: replica,
      actions: bindActions([keepLedger], (run, work) => work(new LedgerContext(run, hosts, place))),
      coordinator: new NatsCoordinatorClient(client, enrolment),
      onTrouble: ({ operationId, stepId }, error) =>
        log.error('a step ended in trouble', { operationId, stepId, error: error.message }),
    });
    const driver = new ChaosDriver();
    const user = config.natsUser === undefined ? {} : { user: config.natsUser };
    const { admitted } = enrolment;
    const strategy = new JetStreamStrategy({ link, service: CHAOS_SERVICE, log, admitted, ...user });
    const app = await NestFactory.createMicroservice(ChaosModule.with(worker, driver), { strategy, logger: false });
    await app.listen();
    let kept = false;
    const announced = announce(client, driver, context).then((done) => (kept = done));
    return {
      get ready() {
        return strategy.ready && kept;
      },
      stop: async () => {
        await announced;
        await strategy.stopTaking();
        await worker.stop();
        await app.close();
        await enrolment.stop();
        hosts.close();
      },
    };
  },
};

await runService(chaosMgmt);
