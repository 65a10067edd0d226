/** Fake machines and PersistentVolumes for the real actions of this service. Not for a product's use. */
export { FakeStorage } from './fake-storage.js';
export { FakeVolumes } from './fake-volumes.js';
export { SET_UP_STORAGE } from '../server/scripts.js';
export { kernelMachine } from './kernel-machine.js';
