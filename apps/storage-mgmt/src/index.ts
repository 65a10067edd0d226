export { STORAGE_DRIVER } from './driver/storage.driver.js';
export { storageMgmt, storageParts } from './service.js';
