import type { DriverPorts } from '@windlass/driver-kit';
import { bindActions, type BoundAction } from '@windlass/saga';
import { NodeContext } from '../node/node-context.js';
import { fetchSnapshotWork } from './fetch-snapshot.action.js';
import { keepSnapshotWork, SnapshotContext } from './keep-snapshot.action.js';
import { reconnectNodeWork } from './reconnect-node.action.js';
import { RestorationContext } from './restoration-context.js';
import { restoreControlPlaneWork } from './restore-control-plane.action.js';

export const boundSnapshotActions = (ports: DriverPorts): BoundAction[] => [
  ...bindActions([keepSnapshotWork], (run, work) => work(new SnapshotContext(run, ports))),
  ...bindActions([fetchSnapshotWork], (run, work) => work(new RestorationContext(run, ports))),
  ...bindActions([restoreControlPlaneWork], (run, work) => work(new NodeContext(run, ports.hosts))),
  ...bindActions([reconnectNodeWork], (run, work) => work(new NodeContext(run, ports.hosts))),
];
