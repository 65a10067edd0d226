import { driverBench, type CrashPoints } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { kubesprayParts } from '../../service.js';
import { defaultSettings } from '../../settings/settings.js';
import { FakeCluster } from '../../testing/fake-cluster.js';
import { FakeAnsible } from './fake-ansible.js';
import { hookContext, plainParams } from './requests.js';

export interface BenchOptions extends CrashPoints {
  params?: JsonObject;
  requestParams?: JsonObject;
  workers?: number;
  hook?: Partial<HookContext>;
  /** An existing cluster and Ansible server; new ones unless given. */
  world?: { cluster: FakeCluster; ansible: FakeAnsible };
}

/** The driver, its plan for a hook, fake nodes and a fake Ansible server. */
export function bench({
  params = plainParams(),
  requestParams = params,
  workers = 2,
  hook = {},
  world,
  ...points
}: BenchOptions = {}) {
  const cluster = world?.cluster ?? new FakeCluster(points);
  const ansible = world?.ansible ?? new FakeAnsible(cluster);
  const made = driverBench({
    parts: kubesprayParts(defaultSettings),
    hook: hookContext(params, workers, hook),
    params,
    requestParams,
    hosts: cluster.hosts,
    ...points,
  });
  return { world: cluster, ansible, ...made };
}
