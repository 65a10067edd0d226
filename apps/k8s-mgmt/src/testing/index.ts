/** A fake world of nodes and VIMs for the real actions of this service. Not for a product's use. */
export { boundActions, k8sActions, type K8sPorts } from '../actions/bound-actions.js';
export { FakeCluster, type FakeNode } from './fake-cluster.js';
export { FakeVims } from './fake-vims.js';
export { wrongFields, type WrongField } from './parameter-table.js';
export { PlanRunner } from './plan-runner.js';
export { guideParams, hookContext, INSTANCE, PARAMS, plainParams, script, vnfc } from './requests.js';
export type { PackageFiles } from '../package-files.js';
