import type { JsonObject } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import type { FakeHostsOptions } from '@windlass/mgmt-driver/testing';
import { boundActions, k8sActions } from '../actions/bound-actions.js';
import { KubernetesDriver } from '../driver/kubernetes.driver.js';
import type { PackageFiles } from '../package-files.js';
import { defaultSettings } from '../settings.js';
import { FakeCluster } from './fake-cluster.js';
import { FakeVims } from './fake-vims.js';
import { PlanRunner } from './plan-runner.js';
import { hookContext, plainParams } from './requests.js';

export interface BenchOptions {
  params?: JsonObject;
  workers?: number;
  hook?: Partial<HookContext>;
  hosts?: FakeHostsOptions;
}

/** A driver, its plan for a hook, and a fake world to run it in. */
export function bench({ params = plainParams(), workers = 2, hook = {}, hosts = {} }: BenchOptions = {}) {
  const world = new FakeCluster(hosts);
  const packages: PackageFiles = { read: () => Promise.resolve(Buffer.from('#!/bin/bash\n')) };
  const driver = new KubernetesDriver({ settings: defaultSettings, actions: k8sActions });
  const context = hookContext(params, workers, hook);
  const vims = new FakeVims(() => context.vnfInstanceId);
  const plan = driver.plan(context);
  const lines: string[] = [];
  const actions = boundActions({ hosts: world.hosts, vims, packages });
  const runner = new PlanRunner(plan, {
    actions,
    hook: context,
    params,
    onProgress: (step, line) => lines.push(`${step}: ${line}`),
  });
  return { world, vims, driver, context, plan, runner, lines, actions };
}
