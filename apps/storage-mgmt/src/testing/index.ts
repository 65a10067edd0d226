/** Fake machines and PersistentVolumes for the real actions of this service. Not for a product's use. */
export { FakeStorage } from './fake-storage.js';
export { FakeVolumes } from './fake-volumes.js';
