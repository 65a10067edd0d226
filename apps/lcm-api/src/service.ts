import { connectDatabase, databaseHealth, migrateFor, parseMasterKeys } from '@windlass/persistence';
import { endCounters, outboundOf, policyOf, type ServiceDefinition } from '@windlass/service-kit';
import { LcmApiConfig, notificationsOf, packagesOf, quotasOf } from './config.js';
import { serverTlsOf } from './http/server-tls.js';
import { accessOf } from './identity/access.js';
import { LCM_API, startLcmApi } from './start-lcm-api.js';

export const lcmApi: ServiceDefinition<LcmApiConfig> = {
  name: LCM_API,
  version: '0.1.0',
  description: 'the REST gateway: /vnflcm, /vnfpkgm and /v1.0/vims',
  config: LcmApiConfig,
  start: async ({ config, log, replica, health, metrics, nats }) => {
    const access = await accessOf(config, log);
    const tls = serverTlsOf(config, log);
    const database = await connectDatabase({
      url: config.databaseUrl.reveal(),
      applicationName: replica,
      poolSize: config.databasePool,
    });
    health.set('database', databaseHealth(database));
    await migrateFor(log, database);
    const service = await startLcmApi({
      link: await nats(),
      database,
      masterKeys: parseMasterKeys(config.masterKey.reveal()),
      policy: policyOf(config),
      sharesImages: config.imageSharing,
      authentication: access.authentication,
      ...(tls === undefined ? {} : { tls }),
      host: config.host,
      port: config.port,
      ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
      proxies: { addresses: config.trustedProxies, header: config.proxyHeader },
      maxPackageBytes: config.maxPackageBytes,
      packages: packagesOf(config),
      quotas: quotasOf(config),
      events: {
        streams: config.eventStreams,
        streamsPerProject: config.eventStreamsPerProject,
        lifetime: config.eventStreamLifetime,
      },
      operatorProject: config.project,
      outbound: outboundOf(config),
      notifications: { ...notificationsOf(config), metrics },
      counters: endCounters(metrics),
      log,
      ...(config.natsUser === undefined ? {} : { user: config.natsUser }),
    });
    log.info('the REST API is served', { url: service.url });
    return {
      get ready() {
        return service.ready;
      },
      stop: async () => {
        await service.stop();
        access.close();
        await database.destroy();
      },
    };
  },
};
