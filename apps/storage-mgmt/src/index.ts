export { STORAGE_DRIVER } from './storage.driver.js';
export { storageMgmt, storageParts } from './service.js';
export { readManifest, type ManifestSource, type PersistentVolume } from './volumes/manifests.js';
