import type { KnownKeys, MessagingLog } from '@windlass/messaging';
import { PgPackageContent, type PgLcmStore } from '@windlass/persistence';
import type { DataSource } from 'typeorm';
import type { DriverRegistry } from '../drivers/driver-registry.js';
import type { RequestTrail } from '../trail/request-trail.js';
import { OnboardedPackagesController } from './onboarded-packages.controller.js';
import { Onboarding } from './onboarding.js';
import { OpenArchives } from './open-archives.js';
import { PackageAnswers } from './package-answers.js';
import { PackageFiles } from './package-files.js';
import { PackageViews } from './package-views.js';
import { VnfPackages } from './vnf-packages.js';
import { VnfPackagesController } from './vnf-packages.controller.js';

/** What packages stand on. */
export interface PackageDependencies {
  database: DataSource;
  store: PgLcmStore;
  drivers: DriverRegistry;
  trail: RequestTrail;
  keys: KnownKeys;
  log: MessagingLog;
  /** Of an uploaded package. */
  maxBytes: number;
}

/** What is asked about packages. */
export const packageControllers = [VnfPackagesController, OnboardedPackagesController] as const;

/** Everything about packages: what controllers are given, and what is swept and waited for. */
export function packageParts({ database, store, drivers, trail, keys, log, maxBytes }: PackageDependencies) {
  const content = new PgPackageContent(database);
  const archives = new OpenArchives(database, content);
  const onboarding = new Onboarding(database, content, store, drivers, trail, log, maxBytes);
  return {
    onboarding,
    provided: [
      onboarding,
      new VnfPackages(database, store, trail),
      new PackageViews(database),
      new PackageAnswers(content, archives),
      new PackageFiles(archives, keys, log),
    ],
  };
}
