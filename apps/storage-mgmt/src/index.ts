export { storageMgmt } from './service.js';
