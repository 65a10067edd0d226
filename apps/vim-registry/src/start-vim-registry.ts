import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CoreKeys, JetStreamStrategy, type MessagingLog, type NatsLink } from '@windlass/messaging';
import { PgAuditTrail, Vault } from '@windlass/persistence';
import type { DataSource } from 'typeorm';
import { HostKeys } from './host-keys.js';
import { VimChecks } from './vim-checks.js';
import { VimController } from './vim.controller.js';
import { Vims } from './vims.js';

export const VIM_REGISTRY = 'vim-registry';

export interface VimRegistryDependencies {
  link: NatsLink;
  database: DataSource;
  masterKeys: readonly Buffer[];
  log: MessagingLog;
  user?: string;
}

@Module({})
class VimRegistryModule {
  static with(vims: Vims, keys: CoreKeys, hostKeys: HostKeys): DynamicModule {
    return {
      module: VimRegistryModule,
      controllers: [VimController],
      providers: [
        { provide: Vims, useValue: vims },
        { provide: CoreKeys, useValue: keys },
        { provide: HostKeys, useValue: hostKeys },
      ],
    };
  }
}

/** Starts the registry: `windlass.vim.<verb>`. */
export async function startVimRegistry({ link, database, masterKeys, log, user }: VimRegistryDependencies) {
  const vims = new Vims(database, new Vault(masterKeys), new VimChecks(), new PgAuditTrail(database));
  const strategy = new JetStreamStrategy({ link, service: VIM_REGISTRY, log, ...(user === undefined ? {} : { user }) });
  const app = await NestFactory.createMicroservice(
    VimRegistryModule.with(vims, new CoreKeys(masterKeys, VIM_REGISTRY), new HostKeys(database)),
    {
      strategy,
      logger: false,
    },
  );
  await app.listen();
  return {
    get ready() {
      return strategy.ready;
    },
    stop: async () => {
      await strategy.stopTaking();
      await app.close();
    },
  };
}
