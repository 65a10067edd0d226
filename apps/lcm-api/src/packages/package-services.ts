import type { KnownKeys, MessagingLog } from '@windlass/messaging';
import type { OutboundClient } from '@windlass/outbound';
import { PgPackageContent, type PgLcmStore, type Vault } from '@windlass/persistence';
import type { DataSource } from 'typeorm';
import type { DriverRegistry } from '../drivers/driver-registry.js';
import type { ProjectQuotas } from '../quotas/project-quotas.js';
import type { RequestTrail } from '../trail/request-trail.js';
import { Onboarding } from './onboarding.js';
import { OpenArchives } from './open-archives.js';
import { PackageAnswers } from './package-answers.js';
import { PackageFiles } from './package-files.js';
import type { PackagePolicy } from './package-policy.js';
import { PackageSources } from './package-source.js';
import { PackageViews } from './package-views.js';
import { PackageReader } from './reading/package-reader.js';
import { readPackagesControllers } from './read-packages-controllers.js';
import { UploadRoom } from './upload-room.js';
import { Uploads } from './uploads.js';
import { VnfPackages } from './vnf-packages.js';
import { VnfPackagesController } from './vnf-packages.controller.js';

/** What packages stand on. */
export interface PackageDependencies {
  database: DataSource;
  store: PgLcmStore;
  drivers: DriverRegistry;
  trail: RequestTrail;
  keys: KnownKeys;
  vault: Vault;
  /** What packages are fetched with. */
  outbound: OutboundClient;
  log: MessagingLog;
  policy: PackagePolicy;
  quotas: ProjectQuotas;
  /** Of an uploaded package. */
  maxBytes: number;
  /** The program of the threads that read packages; the one that is built by default. */
  readerThread?: URL | undefined;
}

/** What is asked about packages. */
export const packageControllers = [VnfPackagesController, ...readPackagesControllers] as const;

/** Everything about packages: what controllers are given, and what is swept and waited for. */
export function packageServices(dependencies: PackageDependencies) {
  const { database, store, trail, vault, outbound, keys, log, policy, quotas, maxBytes } = dependencies;
  const content = new PgPackageContent(database);
  const archives = new OpenArchives(database, content);
  const uploads = new Uploads(database, content, log, policy.abandonedAfter);
  const room = new UploadRoom(database, quotas.packageBytes);
  const sources = new PackageSources(outbound, vault, policy.hosts, maxBytes);
  const { reading, signers } = policy;
  const reader = new PackageReader(signers === undefined ? reading : { ...reading, signers }, dependencies.readerThread);
  const onboarding = new Onboarding({ ...dependencies, content, uploads, room, sources, reader });
  return {
    archives,
    onboarding,
    provided: [
      onboarding,
      new VnfPackages(database, store, trail, quotas.packages),
      new PackageViews(database),
      new PackageAnswers(content, archives),
      new PackageFiles(archives, keys, log),
    ],
  };
}
