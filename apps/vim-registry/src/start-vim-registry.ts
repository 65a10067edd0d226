import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  CoreKeys,
  JetStreamStrategy,
  KnownKeys,
  VIM_REGISTRY_KEYS,
  VimAdministration,
  type MessagingLog,
  type NatsLink,
} from '@windlass/messaging';
import type { AddressRules } from '@windlass/outbound';
import {
  PgAuditTrail,
  PgClaims,
  PgClusterSnapshots,
  PgEnrolments,
  PgHostKeys,
  sealOldExtras,
  Vault,
} from '@windlass/persistence';
import type { DataSource } from 'typeorm';
import { BoundVolumes } from './bound-volumes.js';
import { ClaimAuthenticator } from './claim-authenticator.js';
import { ClaimController } from './claim.controller.js';
import { ClusterAccesses } from './cluster-accesses.js';
import { ClusterNodes } from './cluster-nodes.js';
import { ClusterSnapshots, SnapshotReads, defaultSnapshotLimits, type SnapshotLimits } from './cluster-snapshots.js';
import { Clusters } from './clusters.js';
import { HostKeys } from './host-keys.js';
import { CredentialChecks } from './credential-checks.js';
import { VimChecks } from './vim-checks.js';
import { VimNetworks } from './vim-networks.js';
import { VimController } from './vim.controller.js';
import { Vims } from './vims.js';

export const VIM_REGISTRY = 'vim-registry';

export interface VimRegistryDependencies {
  link: NatsLink;
  database: DataSource;
  masterKeys: readonly Buffer[];
  log: MessagingLog;
  /** Where VIMs, and what their catalogs name, may be; without them anywhere. */
  rules: AddressRules | undefined;
  user?: string;
  /** Of control planes; {@link defaultSnapshotLimits} unless given. */
  snapshots?: SnapshotLimits;
}

@Module({})
class VimRegistryModule {
  static with(values: readonly object[]): DynamicModule {
    return {
      module: VimRegistryModule,
      controllers: [VimController, ClaimController],
      providers: values.map((value) => ({ provide: value.constructor, useValue: value })),
    };
  }
}

/** Starts the registry: `windlass.vim.<verb>` for administration, `windlass.vim-claim.<verb>` for claims. */
export async function startVimRegistry({
  link,
  database,
  masterKeys,
  log,
  rules,
  user,
  snapshots = defaultSnapshotLimits,
}: VimRegistryDependencies) {
  const vault = new Vault(masterKeys);
  const sealed = await sealOldExtras(database, vault);
  if (sealed > 0) log.info('what an older release kept of VIMs in the clear is sealed now', { vims: sealed });
  const trail = new PgAuditTrail(database);
  const vims = new Vims(database, vault, new CredentialChecks(rules), trail, log);
  const claims = new PgClaims(database);
  const pins = new PgHostKeys(database);
  const kept = new PgClusterSnapshots(database, vault);
  const networks = new VimNetworks(database, vault, rules);
  const provided = [
    vims,
    new VimChecks(database, vault, rules),
    networks,
    new BoundVolumes(database, vault, rules),
    new ClusterAccesses(database, vault, trail),
    new ClusterNodes(database, vault, rules),
    claims,
    pins,
    new CoreKeys(masterKeys, VIM_REGISTRY_KEYS),
    new VimAdministration(masterKeys),
    new ClaimAuthenticator(masterKeys, log),
    new Clusters(database, vims, claims),
    new HostKeys(database, pins, trail),
    new ClusterSnapshots(database, kept, trail, snapshots),
    new SnapshotReads(database, vault, kept, claims, new KnownKeys(new PgEnrolments(database)), trail),
  ];
  const strategy = new JetStreamStrategy({ link, service: VIM_REGISTRY, log, ...(user === undefined ? {} : { user }) });
  const app = await NestFactory.createMicroservice(VimRegistryModule.with(provided), { strategy, logger: false });
  await app.listen();
  return {
    get ready() {
      return strategy.ready;
    },
    stop: async () => {
      await strategy.stopTaking();
      await app.close();
      networks.close();
    },
  };
}
