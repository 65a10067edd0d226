import { boundTo, serviceAction, type DriverPorts, type MachineStepInput, type ServiceAction } from '@windlass/driver-kit';
import type { Action, BoundAction } from '@windlass/saga';
import { installNfsClientWork } from './client/install-nfs-client.action.js';
import { TryContext, tryNfsMountsWork } from './client/try-nfs-mounts.action.js';
import { StorageContext, type PackagesInput } from './machine/storage-context.js';
import { setUpStorageWork } from './server/set-up-storage.action.js';
import { checkVolumeManifestsWork } from './volumes/check-volume-manifests.action.js';
import { volumeActions } from './volumes/volume-actions.js';

const onMachine = <Input extends MachineStepInput & PackagesInput, Output>(
  action: Action<StorageContext<Input>, Input, Output>,
) => serviceAction(action, (run, { hosts }: DriverPorts) => new StorageContext<Input>(run, hosts));

/** Every action of the service, each once: its driver describes and offers them all, and its workers run them all. */
export const ACTIONS: readonly ServiceAction<DriverPorts>[] = [
  onMachine(setUpStorageWork),
  onMachine(installNfsClientWork),
  serviceAction(checkVolumeManifestsWork, (run, { packages }: DriverPorts) => ({ run, packages })),
  serviceAction(tryNfsMountsWork, (run, ports: DriverPorts) => new TryContext(run, ports)),
  ...volumeActions(),
];

/** Every action of the service, bound to its ports. */
export const boundActions = (ports: DriverPorts): BoundAction[] => boundTo(ACTIONS, ports);
