import {
  checkVolumesUnbound,
  registerPersistentVolumes,
  removePersistentVolumes,
  serviceAction,
  type DriverPorts,
  type PersistentVolumesInput,
  type ServiceAction,
} from '@windlass/driver-kit';
import { seconds, type Duration } from '@windlass/foundation';
import { implementAction, type Action } from '@windlass/saga';
import { register, unregister } from './registration.js';
import { VolumesContext } from './volumes-context.js';

/** The reference system looks five times, every 30 s. */
const WITHIN = seconds(150);

const retry = { attempts: 5, backoff: seconds(3), growth: 2 };

const registerWork = implementAction(registerPersistentVolumes, {
  apply: async (context: VolumesContext) => ({ names: await register(context) }),
  undo: async (context) => unregister(context, await context.wanted()),
  stop: (context) => context.stop(),
  retry,
});

/** A look: it changes nothing. */
const checkUnboundWork = implementAction(checkVolumesUnbound, {
  apply: async ({ volumes }: VolumesContext) => {
    await volumes.unbound();
    return undefined;
  },
  stop: (context) => context.stop(),
  retry,
});

/** Checks once more that no volume is bound: a bound one would stay half deleted until its claim goes. */
const removeWork = implementAction(removePersistentVolumes, {
  apply: async (context: VolumesContext) => {
    await unregister(context);
    return undefined;
  },
  undo: async (context) => {
    await register(context);
  },
  stop: (context) => context.stop(),
  retry,
});

/**
 * The actions on PersistentVolumes.
 * @param within how long a cluster may take to make PersistentVolumes Available, or to let them go
 */
export function volumeActions(within: Duration = WITHIN): ServiceAction<Pick<DriverPorts, 'hosts' | 'packages'>>[] {
  const onVolumes = <Output>(action: Action<VolumesContext, PersistentVolumesInput, Output>) =>
    serviceAction(action, (run, ports: Pick<DriverPorts, 'hosts' | 'packages'>) => new VolumesContext(run, ports, within));
  return [onVolumes(registerWork), onVolumes(checkUnboundWork), onVolumes(removeWork)];
}
