import { connectDatabase, databaseHealth, migrateFor, parseMasterKeys } from '@windlass/persistence';
import { vimRulesOf, type ServiceDefinition } from '@windlass/service-kit';
import { VimRegistryConfig } from './config.js';
import { startVimRegistry, VIM_REGISTRY } from './start-vim-registry.js';

export const vimRegistry: ServiceDefinition<VimRegistryConfig> = {
  name: VIM_REGISTRY,
  version: '0.1.0',
  description: 'keeps VIMs: OpenStacks and Kubernetes clusters, their credentials sealed and tried before they are kept',
  config: VimRegistryConfig,
  start: async ({ config, log, replica, health, nats }) => {
    const database = await connectDatabase({
      url: config.databaseUrl.reveal(),
      applicationName: replica,
      poolSize: config.databasePool,
    });
    health.set('database', databaseHealth(database));
    await migrateFor(log, database);
    const service = await startVimRegistry({
      link: await nats(),
      database,
      masterKeys: parseMasterKeys(config.masterKey.reveal()),
      log,
      rules: vimRulesOf(config),
      snapshots: { kept: config.clusterSnapshotsKept, mostBytes: config.clusterSnapshotMaxBytes },
      ...(config.natsUser === undefined ? {} : { user: config.natsUser }),
    });
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
