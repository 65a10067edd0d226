export { registryMgmt } from './service.js';
