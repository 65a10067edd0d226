import type { DriverPorts } from '@windlass/driver-kit';
import { bindActions, type BoundAction } from '@windlass/saga';
import { joinControlPlane } from './contracts.js';
import { ControlPlaneContext } from './control-plane-context.js';
import { joinControlPlaneWork } from './join-control-plane.action.js';

/** For the driver's description. */
export const controlPlaneActions = [joinControlPlane];

export const boundControlPlaneActions = ({ hosts }: DriverPorts): BoundAction[] =>
  bindActions([joinControlPlaneWork], (run, work) => work(new ControlPlaneContext(run, hosts)));
