import type { DriverPorts, MachineStepInput } from '@windlass/driver-kit';
import { bindActions, type Action, type BoundAction } from '@windlass/saga';
import { installNfsClientWork } from './client/install-nfs-client.action.js';
import { boundMountTry } from './client/try-nfs-mounts.action.js';
import { setUpStorageWork } from './server/set-up-storage.action.js';
import { StorageContext, type PackagesInput } from './machine/storage-context.js';
import { boundManifestCheck } from './volumes/check-volume-manifests.action.js';
import { boundVolumeActions } from './volumes/volume-actions.js';

/** Every action of the service, bound to its ports. */
export function boundActions(ports: DriverPorts): BoundAction[] {
  const onMachine = <Input extends MachineStepInput & PackagesInput, Output>(
    action: Action<StorageContext<Input>, Input, Output>,
  ): BoundAction[] => bindActions([action], (run, work) => work(new StorageContext<Input>(run, ports.hosts)));
  return [
    ...onMachine(setUpStorageWork),
    ...onMachine(installNfsClientWork),
    ...boundManifestCheck(ports),
    ...boundMountTry(ports),
    ...boundVolumeActions(ports),
  ];
}
