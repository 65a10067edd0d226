export * from './hosts/index.js';
export * from './kubernetes/index.js';
export * from './machine-fleet.js';
export * from './openstack/index.js';
export { standinPackages } from './standins/packages.js';
