/** Fake nodes for the real actions of this service. Not for a product's use. */
export { FakeCluster, type FakeNode } from './fake-cluster.js';
export { byKeyAlone, KEY, wrongFields, type WrongField } from './parameter-table.js';
export { guideParams, healed, hookContext, INSTANCE, PARAMS, plainParams, scaled, script, vnfc } from './requests.js';
