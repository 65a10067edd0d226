export * from './hosts/index.js';
export * from './machine-park.js';
export * from './openstack/index.js';
export { standinPackages } from './standins/packages.js';
