import 'reflect-metadata';
import { DriverServiceConfig, driverService, oneDriver } from '@windlass/driver-kit';
import { defaultSettings, K8S_SERVICE, k8sParts } from '@windlass/k8s-mgmt';
import { runService } from '@windlass/service-kit';
import { timed } from './timed-actions.js';

// The program that `bench bring-up` puts in the place of k8s-mgmt's: its driver, its worker, and actions that take their time.
await runService(
  driverService({
    name: K8S_SERVICE,
    version: '0.1.0',
    description:
      'a stand-in of k8s-mgmt for measurements: it plans as that does, and its actions touch no host, but take their time',
    config: DriverServiceConfig,
    parts: () => oneDriver(timed(k8sParts(defaultSettings))),
  }),
);
