/** Fake machines for the real actions of this service. For tests only. */
export { nodes } from './nodes.js';
export { RegistryVms } from '../private-registry/testing/registry-vm.js';
