import type { DriverPorts } from '@windlass/driver-kit';
import type { BoundAction } from '@windlass/saga';
import { boundActions } from '../actions.js';
import { defaultSettings } from '../settings/settings.js';

/** Every action of the service, of which those are run that need no other ports than these. */
export const allActions = (ports: Partial<DriverPorts>): BoundAction[] => boundActions(ports as DriverPorts, defaultSettings);
