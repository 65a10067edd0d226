import { masked, type JsonObject } from '@windlass/foundation';
import { secretParameters, type HookContext, type Hosts } from '@windlass/mgmt-driver';
import type { FakeHosts } from '@windlass/mgmt-driver/testing';
import type { BoundAction } from '@windlass/saga';
import type { PackageFiles } from '../files/package-files.js';
import type { DriverParts } from '../service/start-drivers.js';
import { FakeVims } from './fake-vims.js';
import { packagesOf } from './packages-of.js';
import { PlanRunner, type RunnerOptions } from './plan-runner.js';

/** What a suite gives to the fakes of a bench. It is called wherever a worker may die, with the point and the job or step of the point. */
export interface CrashPoints {
  atPoint?: (point: string, of: string) => void;
}

/** What a bench is made of. */
export interface BenchOptions<H extends Hosts> extends Pick<RunnerOptions, 'atPoint'> {
  parts: DriverParts;
  /** The hook whose plan is run; its parameters are taken from `params`, masked. */
  hook: HookContext;
  /** `additionalParams` of the instantiation, with its secrets. */
  params: JsonObject;
  /** `additionalParams` of the operation's own request, with its secrets; those of the instantiation unless given. */
  requestParams?: JsonObject;
  /** The parameters that a retry has given again; none unless given. */
  retryParams?: JsonObject;
  /** {@link FakeHosts} for the suites; machines of a lab elsewhere. */
  hosts: H;
  /** What stands in for the actions of other services that the plan uses. */
  others?: readonly BoundAction[];
  /** The files of the package; none unless given. */
  packages?: PackageFiles;
}

/** A driver's plan for a hook, and a fake world to run it in. */
export function driverBench<H extends Hosts>(options: BenchOptions<H>) {
  const {
    parts,
    hook,
    params,
    requestParams = params,
    retryParams = {},
    hosts,
    packages = packagesOf({}),
    others = [],
    atPoint,
  } = options;
  const { driver } = parts;
  const secrets = secretParameters(driver.describe());
  const context: HookContext = {
    ...hook,
    instantiateParams: masked(params, secrets),
    requestParams: masked(requestParams, secrets),
  };
  const vims = new FakeVims(() => context.vnfInstanceId);
  const lines: string[] = [];
  const actions = parts.actions({ hosts, vims, packages });
  const plan = driver.plan(context);
  const runner = new PlanRunner(plan, {
    actions: [...actions, ...others],
    hook: context,
    params,
    requestParams,
    retryParams,
    onProgress: (step, line) => void lines.push(`${step}: ${line}`),
    ...(atPoint === undefined ? {} : { atPoint }),
  });
  return { driver, context, plan, runner, actions, hosts, vims, lines };
}

/** The part of a bench that the suites need. */
export type DriverBench = Pick<ReturnType<typeof driverBench<FakeHosts>>, 'runner' | 'hosts' | 'vims'>;
