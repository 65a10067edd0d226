import type { DriverPorts } from '@windlass/driver-kit';
import { bindActions, type BoundAction } from '@windlass/saga';
import { checkQuorumWork } from './check-quorum.action.js';
import { checkQuorum, leaveEtcd, removeDeadMembers } from './contracts.js';
import { EtcdContext } from './etcd-context.js';
import { leaveEtcdWork } from './leave-etcd.action.js';
import { removeDeadMembersWork } from './remove-dead-members.action.js';

/** For the driver's description. */
export const etcdActions = [checkQuorum, removeDeadMembers, leaveEtcd];

export const boundEtcdActions = ({ hosts }: DriverPorts): BoundAction[] => [
  ...bindActions([checkQuorumWork], (run, work) => work(new EtcdContext(run, hosts))),
  ...bindActions([removeDeadMembersWork], (run, work) => work(new EtcdContext(run, hosts))),
  ...bindActions([leaveEtcdWork], (run, work) => work(new EtcdContext(run, hosts))),
];
