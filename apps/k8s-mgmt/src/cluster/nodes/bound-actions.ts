import type { DriverPorts } from '@windlass/driver-kit';
import { bindActions, type BoundAction } from '@windlass/saga';
import { ClusterContext, NodeContext } from '../../node/node-context.js';
import { checkMovingWork } from './check-moving.action.js';
import { readdressNodeWork } from './readdress-node.action.js';

export const boundConnectivityActions = ({ hosts }: DriverPorts): BoundAction[] => [
  ...bindActions([checkMovingWork], (run, work) => work(new ClusterContext(run, hosts))),
  ...bindActions([readdressNodeWork], (run, work) => work(new NodeContext(run, hosts))),
];
