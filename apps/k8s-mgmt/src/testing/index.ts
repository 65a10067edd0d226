/** Fake nodes for the real actions of this service. For tests only. */
export { FakeCluster } from './fake-cluster.js';
export type { FakeNode } from './fake-node.js';
export { FakeMasters } from './fake-masters.js';
export { FakeExternalLb } from './external-lb.js';
export { BEFORE as HAPROXY_BEFORE, LB_ADDRESS } from './node-ports.js';
export { FakeAnsible } from '../kubespray/testing/fake-ansible.js';
export { byKeyAlone, KEY, wrongFields, type WrongField } from './parameter-table.js';
export {
  flavour,
  guideParams,
  healed,
  hookContext,
  INSTANCE,
  PARAMS,
  plainParams,
  reconnected,
  scaled,
  script,
  validateRequest,
  vnfc,
  withStorage,
} from './requests.js';
export { onNode } from './balancer.js';
export { allActions } from './all-actions.js';
export { changeLoadBalancer } from '../balancer/change-load-balancer.action.js';
export { configureLoadBalancer } from '../balancer/configure-load-balancer.action.js';
export { leaveLoadBalancer } from '../balancer/leave-load-balancer.action.js';
export { verifyLoadBalancer } from '../balancer/verify-load-balancer.action.js';
export { routerId } from '../balancer/keepalived.js';
export type { LoadBalancer } from '../balancer/load-balancer.js';
export type { NodeInput } from '../cluster/node-input.js';
export { installExternalLb } from '../external-lb/install-external-lb.action.js';
export { noteExposedPorts } from '../external-lb/note-exposed-ports.action.js';
export { restoreNodePorts } from '../external-lb/restore-node-ports.action.js';
export { routeExternalLb } from '../external-lb/route-external-lb.action.js';
export { runExternalLbScript } from '../external-lb/run-external-lb-script.action.js';
export { verifyExternalLb } from '../external-lb/verify-external-lb.action.js';
export type { Route } from '../external-lb/external-lb-input.js';
export { etcdctl, OWN_ETCD } from '../etcd/etcdctl.js';
export { ARCHIVE, LOOK_AT_ETCD, RESTORE_CONTROL_PLANE, TAKE_SNAPSHOT } from '../snapshots/scripts.js';
