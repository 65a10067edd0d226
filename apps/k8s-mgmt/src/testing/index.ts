/** Fake nodes for the real actions of this service. Not for a product's use. */
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
export { boundBalancerActions } from '../balancer/bound-actions.js';
export { changeLoadBalancer, configureLoadBalancer, leaveLoadBalancer, verifyLoadBalancer } from '../balancer/contracts.js';
export { routerId } from '../balancer/keepalived.js';
export type { LoadBalancer } from '../balancer/load-balancer.js';
export type { NodeInput } from '../cluster/node-input.js';
export { boundExternalLbActions } from '../external-lb/external-lb-actions.js';
export {
  installExternalLb,
  noteExposedPorts,
  restoreNodePorts,
  routeExternalLb,
  runExternalLbScript,
  verifyExternalLb,
  type Route,
} from '../external-lb/contracts.js';
export { etcdctl, OWN_ETCD } from '../etcd/etcdctl.js';
export { ARCHIVE, LOOK_AT_ETCD, RESTORE_CONTROL_PLANE, TAKE_SNAPSHOT } from '../snapshots/scripts.js';
