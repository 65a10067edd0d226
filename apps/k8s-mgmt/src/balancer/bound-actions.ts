import type { DriverPorts } from '@windlass/driver-kit';
import { bindActions, type Action, type BoundAction } from '@windlass/saga';
import { NodeBesideEtcdContext } from '../etcd/etcd-context.js';
import { NodeContext } from '../node/node-context.js';
import type { NodeStepInput } from '../cluster/node-input.js';
import { changeBackEndsWork } from './change-back-ends.action.js';
import { changeLoadBalancerWork } from './change-load-balancer.action.js';
import { configureLoadBalancerWork } from './configure-load-balancer.action.js';
import { leaveLoadBalancerWork } from './leave-load-balancer.action.js';
import { verifyLoadBalancerWork } from './verify-load-balancer.action.js';

/** The load balancer's actions, bound to the service's ports. */
export function boundBalancerActions({ hosts }: Pick<DriverPorts, 'hosts'>): BoundAction[] {
  const onNode = <Input extends NodeStepInput, Output>(action: Action<NodeContext<Input>, Input, Output>): BoundAction[] =>
    bindActions([action], (run, work) => work(new NodeContext<Input>(run, hosts)));
  return [
    ...onNode(configureLoadBalancerWork),
    ...onNode(changeLoadBalancerWork),
    ...bindActions([leaveLoadBalancerWork], (run, work) => work(new NodeBesideEtcdContext<NodeStepInput>(run, hosts))),
    ...onNode(verifyLoadBalancerWork),
    ...onNode(changeBackEndsWork),
  ];
}
