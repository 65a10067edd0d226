import { Readable } from 'node:stream';
import { OFFERED, type PackageFiles } from '@windlass/driver-kit';
import { driverBench, OfferedStandIns, type CrashPoints } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import type { FakeHostsOptions } from '@windlass/mgmt-driver/testing';
import { k8sParts } from '../service.js';
import { defaultSettings, type K8sMgmtSettings } from '../settings/settings.js';
import { FakeCluster } from './fake-cluster.js';
import { hookContext, plainParams } from './requests.js';

export interface BenchOptions extends CrashPoints {
  params?: JsonObject;
  /** The parameters of the hook's operation, where it is no instantiation. */
  requestParams?: JsonObject;
  /** The parameters that a retry has given again. */
  retryParams?: JsonObject;
  workers?: number;
  hook?: Partial<HookContext>;
  hosts?: FakeHostsOptions;
  settings?: K8sMgmtSettings;
  /** The files of the package; each has a script's first line unless given. */
  packages?: PackageFiles;
  /** An existing cluster; a new one unless given. */
  world?: FakeCluster;
}

/** The driver, its plan for a hook, and fake nodes to run it on. */
export function bench({
  params = plainParams(),
  requestParams = params,
  retryParams = {},
  workers = 2,
  hook = {},
  hosts,
  settings = defaultSettings,
  packages,
  world,
  ...points
}: BenchOptions = {}) {
  const cluster = world ?? new FakeCluster(hosts ?? points);
  const script = Buffer.from('#!/bin/bash\n');
  const scripts: PackageFiles = { read: () => Promise.resolve(script), stream: () => Readable.from([script]) };
  const parts = k8sParts(settings);
  const offered = new OfferedStandIns(OFFERED, { 'register-persistent-volumes': () => ({ names: [] }) });
  return {
    world: cluster,
    offered,
    ...driverBench({
      parts,
      hook: hookContext(params, workers, hook),
      params,
      requestParams,
      retryParams,
      hosts: cluster.hosts,
      packages: packages ?? scripts,
      others: offered.bound,
      ...points,
    }),
  };
}
