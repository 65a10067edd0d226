/** Fake machines for the real actions of this service. Not for a product's use. */
export { nodes } from './nodes.js';
export { RegistryVms } from '../private-registry/testing/registry-vm.js';
