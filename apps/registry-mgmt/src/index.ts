export { registryMgmt, registryParts } from './service.js';
