import type { Hosts } from '@windlass/mgmt-driver';
import type { NatsHostKeys } from '@windlass/messaging';
import type { BoundAction, StepRun } from '@windlass/saga';
import type { ServiceDefinition } from '@windlass/service-kit';
import { DriverServiceConfig } from '../service/driver-config.js';
import { driverService } from '../service/driver-service.js';
import type { ServiceParts } from '../service/start-drivers.js';
import { ExecMachines } from './exec-machines.js';
import type { ExecutableDriver } from './executable-driver.js';

/** How many steps run at once. Each is a process and costs memory, unlike the steps of our own drivers. */
const PROCESSES_AT_ONCE = 32;

/** What `driver exec` can be told beside what every driver's service can. */
export class ExecServiceConfig extends DriverServiceConfig {
  override readonly stepsAtOnce: number = PROCESSES_AT_ONCE;
}

/** The parts of a service whose driver is an executable. */
export function execParts(driver: ExecutableDriver): ServiceParts {
  return {
    drivers: [driver],
    actions: ({ hosts, hostKeys }) => boundExecActions(driver, { hosts, hostKeys }),
  };
}

function boundExecActions(driver: ExecutableDriver, ports: { hosts: Hosts; hostKeys: Pick<NatsHostKeys, 'get'> }): BoundAction[] {
  const { description } = driver;
  const machines = (run: StepRun): ExecMachines => new ExecMachines(run, ports.hosts, ports.hostKeys);
  return description.actions.map((action) => {
    const { name, version, undo, retry, within } = action;
    const accepts = description.driver.offers?.find((offer) => offer.name === name && offer.version === version)?.input;
    return {
      key: `${name}@${version}`,
      retry,
      within,
      ...(accepts === undefined ? {} : { accepts }),
      apply: (run) => driver.perform(action, run, machines(run)),
      ...(undo ? { undo: (run: StepRun) => driver.perform(action, run, machines(run)).then(() => undefined) } : {}),
      stop: (run) => machines(run).stop(),
    };
  });
}

/** The service that `driver exec` starts. */
export const execService = (driver: ExecutableDriver): ServiceDefinition<ExecServiceConfig> => {
  const { service, version } = driver.describe();
  const definition = driverService({
    name: service,
    version,
    description: `the management driver ${driver.path}, an executable`,
    config: ExecServiceConfig,
    parts: () => execParts(driver),
  });
  return {
    ...definition,
    start: (context) => {
      driver.logTo(context.log);
      return definition.start(context);
    },
  };
};
