import 'reflect-metadata';
import { InvariantError } from '@windlass/foundation';
import { infraDriver } from '@windlass/infra-driver';
import { k8sMgmt } from '@windlass/k8s-mgmt';
import { lcmApi } from '@windlass/lcm-api';
import { registryMgmt } from '@windlass/registry-mgmt';
import { sagaCoordinator } from '@windlass/saga-coordinator';
import { runServices, type ServiceEntry } from '@windlass/service-kit';
import { storageMgmt } from '@windlass/storage-mgmt';
import { vimRegistry } from '@windlass/vim-registry';
import { oneProcessEnvironments } from '../surroundings/config.js';
import { SERVICES } from './services.js';

/** All services as one process: the program behind `up --one-process`, started by the supervisor as any service's is. */
const definitions = [sagaCoordinator, vimRegistry, lcmApi, infraDriver, k8sMgmt, storageMgmt, registryMgmt];

const environments = oneProcessEnvironments();

await runServices(
  SERVICES.map(({ name }): ServiceEntry => {
    const definition = definitions.find((one) => one.name === name);
    const environment = environments[name];
    if (definition === undefined || environment === undefined)
      throw new InvariantError(`${name} can't share the process: it is not known here`);
    return { definition, environment } as ServiceEntry;
  }),
);
