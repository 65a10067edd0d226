import { parseStandingTokens } from '@windlass/messaging';
import { connectDatabase, databaseHealth, migrateFor, parseMasterKeys, PgEnrolments } from '@windlass/persistence';
import {
  certificatesGauge,
  coordinatorCounters,
  internalGauges,
  limitGauges,
  operationGauges,
  policyOf,
  snapshotsGauge,
  trailGauges,
  type ServiceDefinition,
} from '@windlass/service-kit';
import { CoordinatorConfig } from './config.js';
import { nfvoOf } from './nfvo/nfvo-config.js';
import { startCoordinator } from './start-coordinator.js';

export const sagaCoordinator: ServiceDefinition<CoordinatorConfig> = {
  name: 'saga-coordinator',
  version: '0.1.0',
  description: 'runs LCM operations as sagas: plans them, grants claims, journals results, sweeps what is lost',
  config: CoordinatorConfig,
  start: async ({ config, log, replica, health, nats, metrics }) => {
    const nfvo = nfvoOf(config);
    const databaseUrl = config.databaseUrl.reveal();
    const database = await connectDatabase({ url: databaseUrl, applicationName: replica, poolSize: config.databasePool });
    health.set('database', databaseHealth(database));
    await migrateFor(log, database);
    const policy = policyOf(config);
    await new PgEnrolments(database).keepStanding(parseStandingTokens(config.enrolmentTokens?.reveal() ?? ''));
    const service = await startCoordinator({
      link: await nats(),
      database,
      databaseUrl,
      masterKeys: parseMasterKeys(config.masterKey.reveal()),
      policy,
      retention: { journals: config.keepJournals, operations: config.keepOperations, trail: config.keepAuditTrail },
      snapshotEvery: config.snapshotEvery,
      nfvo,
      sharesImages: config.imageSharing,
      imagesKeptFor: config.imageKeptFor,
      replica,
      log,
      counters: coordinatorCounters(metrics),
      ...(config.natsUser === undefined ? {} : { user: config.natsUser }),
    });
    operationGauges(metrics, service.underWay);
    limitGauges(metrics, policy.limitOf, () => service.limitUse());
    internalGauges(metrics, () => service.pendingInternals());
    certificatesGauge(metrics, () => service.certificatesEnds());
    snapshotsGauge(metrics, () => service.newestSnapshots());
    trailGauges(metrics, () => service.trailBacklog());
    return {
      get ready() {
        return service.ready;
      },
      stop: async () => {
        await service.stop();
        await database.destroy();
      },
    };
  },
};
