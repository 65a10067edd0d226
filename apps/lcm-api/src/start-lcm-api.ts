import { Module, type CanActivate, type DynamicModule, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { seconds } from '@windlass/foundation';
import { LifecycleOwner } from '@windlass/lifecycle';
import {
  CoreKeys,
  eventStream,
  JetStreamStrategy,
  NatsDoorbells,
  RequestClient,
  stepStream,
  StreamPublisher,
  VimClient,
  type MessagingLog,
  type NatsLink,
} from '@windlass/messaging';
import { PgEnrolments, PgJournal, PgLcmStore, PgPackageContent, Vault } from '@windlass/persistence';
import { Coordinator, type EnginePolicy } from '@windlass/saga';
import express from 'express';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { setInterval } from 'node:timers';
import type { DataSource } from 'typeorm';
import { EnrolmentSettings } from './enrolment/enrolment-settings.js';
import { EnrolmentsController } from './enrolment/enrolments.controller.js';
import { DriverRegistry } from './drivers/driver-registry.js';
import { ApiVersionsController } from './http/api-versions.controller.js';
import { ProblemFilter } from './http/problem.filter.js';
import { knownRoutes, problemsOf, versions } from './http/middleware.js';
import { VnfInstances } from './instances/vnf-instances.js';
import { VnfInstancesController } from './instances/vnf-instances.controller.js';
import { MessagesController } from './messages.controller.js';
import { OpOccs } from './op-occs/op-occs.js';
import { OpOccsController, StepsController } from './op-occs/op-occs.controller.js';
import { ABANDONED_AFTER, Onboarding } from './packages/onboarding.js';
import { PackageFiles } from './packages/package-files.js';
import { VnfPackages } from './packages/vnf-packages.js';
import { VnfPackagesController } from './packages/vnf-packages.controller.js';
import { LcmApiSettings } from './settings.js';
import { VimsController } from './vims/vims.controller.js';

export const LCM_API = 'lcm-api';

export interface LcmApiDependencies {
  link: NatsLink;
  database: DataSource;
  masterKeys: readonly Buffer[];
  policy: EnginePolicy;
  /** Stands before every handler but the version lists. */
  guard: CanActivate;
  host: string;
  /** 0: a free one. */
  port: number;
  /** The root of links, where clients don't reach us by the host they name. */
  endpoint?: string;
  /** Of an uploaded package. */
  maxPackageBytes: number;
  log: MessagingLog;
  user?: string;
}

@Module({})
class LcmApiModule implements NestModule {
  static with(values: readonly object[]): DynamicModule {
    return {
      module: LcmApiModule,
      controllers: [
        ApiVersionsController,
        VnfInstancesController,
        OpOccsController,
        StepsController,
        VnfPackagesController,
        VimsController,
        EnrolmentsController,
        MessagesController,
      ],
      providers: values.map((value) => ({ provide: value.constructor, useValue: value })),
    };
  }

  configure(_consumer: MiddlewareConsumer): void {
    // Express's own middleware comes first (see startLcmApi): it must answer where no controller would.
  }
}

/** Starts the REST gateway, and serves what other services ask of it. */
export async function startLcmApi(dependencies: LcmApiDependencies) {
  const { link, log, user } = dependencies;
  const parts = partsOf(dependencies);
  const app = await NestFactory.create<NestExpressApplication>(LcmApiModule.with(parts.provided), {
    logger: false,
    bodyParser: false,
  });
  const strategy = new JetStreamStrategy({ link, service: LCM_API, log, ...(user === undefined ? {} : { user }) });
  app.connectMicroservice({ strategy });
  app.disable('x-powered-by');
  app.use(
    versions,
    knownRoutes,
    express.json({ limit: '1mb', strict: true, type: ['application/json', 'application/merge-patch+json', 'text/plain'] }),
    problemsOf(log),
  );
  app.useGlobalFilters(new ProblemFilter(log));
  app.useGlobalGuards(dependencies.guard);
  await app.startAllMicroservices();
  await app.listen(dependencies.port, dependencies.host);
  const sweep = setInterval(() => void sweepPackages(parts.onboarding, log), ABANDONED_AFTER / 3);
  const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
  return {
    port,
    url: `http://${dependencies.host.includes(':') ? `[${dependencies.host}]` : dependencies.host}:${port}`,
    get ready() {
      return strategy.ready;
    },
    stop: async () => {
      clearInterval(sweep);
      await strategy.stopTaking();
      await app.close();
      await parts.onboarding.idle();
    },
  };
}

function partsOf({ link, database, masterKeys, policy, endpoint, maxPackageBytes, log }: LcmApiDependencies) {
  const vault = new Vault(masterKeys);
  const store = new PgLcmStore(database, vault);
  const client = new RequestClient(link);
  const drivers = new DriverRegistry(database, client);
  const content = new PgPackageContent(database);
  const publisher = new StreamPublisher(link, [stepStream, eventStream], log);
  // The tasks on operations are moves of the same machine; this coordinator serves no worker.
  const coordinator = new Coordinator({
    journal: new PgJournal(database, vault),
    doorbells: new NatsDoorbells(publisher, log),
    owner: new LifecycleOwner(store),
    policy,
  });
  const onboarding = new Onboarding(database, content, drivers, log, maxPackageBytes);
  return {
    onboarding,
    provided: [
      drivers,
      onboarding,
      new VnfInstances(database, vault, store, drivers),
      new OpOccs(database, vault, coordinator),
      new VnfPackages(database, content),
      new PackageFiles(database, content),
      new VimClient(client),
      new LcmApiSettings(endpoint),
      new PgEnrolments(database),
      new EnrolmentSettings(new CoreKeys(masterKeys).publicX),
    ],
  };
}

async function sweepPackages(onboarding: Onboarding, log: MessagingLog): Promise<void> {
  try {
    await onboarding.sweep();
  } catch (error) {
    log.warn('abandoned uploads could not be looked for; trying again', {
      error: error instanceof Error ? error.message : String(error),
      every: seconds(10),
    });
  }
}
