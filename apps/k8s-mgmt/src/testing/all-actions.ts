import type { DriverPorts } from '@windlass/driver-kit';
import type { BoundAction } from '@windlass/saga';
import { boundActions } from '../actions.js';
import { defaultSettings } from '../settings/settings.js';

/** All actions of the service, bound to these ports alone. */
export const allActions = (ports: Partial<DriverPorts>): BoundAction[] => boundActions(ports as DriverPorts, defaultSettings);
