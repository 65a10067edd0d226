/** Fake machines and PersistentVolumes for the real actions of this service. For tests only. */
export { FakeStorage } from './fake-storage.js';
export { FakeVolumes } from './fake-volumes.js';
export { SET_UP_STORAGE } from '../server/scripts.js';
export { kernelMachine } from './kernel-machine.js';
