export * from './common.js';
export * from './enumerations.js';
export * from './instantiated-vnf-info.js';
export * from './notifications.js';
export * from './op-occ.js';
export * from './vnf-instance.js';
export * from './vnf-package.js';
