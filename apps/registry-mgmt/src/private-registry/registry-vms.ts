import type { Vnfc } from '@windlass/mgmt-driver';
import type { RegistryParams } from './parameters.js';

/** Whether a VM is the registry's. */
export const isRegistry =
  ({ ssh_cp_name: cp }: RegistryParams) =>
  ({ cps }: Vnfc): boolean =>
    cps.some(({ cpdId }) => cpdId === cp);
