export * from './common.js';
export * from './enumerations.js';
export * from './grant.js';
export * from './instantiated-vnf-info.js';
export * from './subscriptions.js';
export * from './op-occ.js';
export * from './vnf-instance.js';
export * from './vnf-package.js';
