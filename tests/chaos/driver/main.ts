import 'reflect-metadata';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { minutes, seconds } from '@windlass/foundation';
import { DriverService, JetStreamStrategy, NatsCoordinatorClient, RequestClient, stepLog } from '@windlass/messaging';
import { MemoryHostKeys, RemoteHosts } from '@windlass/remote-host';
import { bindActions, StepWorker } from '@windlass/saga';
import { enrol, runService, type ServiceDefinition } from '@windlass/service-kit';
import { CHAOS_SERVICE, ChaosDriver } from './chaos.driver.js';
import { ChaosController } from './chaos.controller.js';
import { ChaosMgmtConfig } from './config.js';
import { keepLedger, LedgerContext } from './keep-ledger.action.js';

@Module({})
class ChaosModule {
  static with(worker: StepWorker): DynamicModule {
    return { module: ChaosModule, controllers: [ChaosController], providers: [{ provide: StepWorker, useValue: worker }] };
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
      // The machine is no VNFC, so the VIM registry pins no key for it.
      hostKeys: new MemoryHostKeys(),
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
      ...stepLog(log),
    });
    const user = config.natsUser === undefined ? {} : { user: config.natsUser };
    const { admitted } = enrolment;
    const strategy = new JetStreamStrategy({ link, service: CHAOS_SERVICE, log, admitted, ...user });
    const app = await NestFactory.createMicroservice(ChaosModule.with(worker), { strategy, logger: false });
    await app.listen();
    const driver = new DriverService({ link, driver: new ChaosDriver(), enrolment, log }).start();
    return {
      get ready() {
        return strategy.ready && driver.kept;
      },
      stop: async () => {
        await Promise.all([strategy.stopTaking(), driver.stop()]);
        await worker.stop();
        await app.close();
        await enrolment.stop();
        hosts.close();
      },
    };
  },
};

await runService(chaosMgmt);
