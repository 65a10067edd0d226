export * from './hosts/index.js';
export * from './kubernetes/index.js';
export * from './machine-fleet.js';
export * from './openstack/index.js';
export { imageContent, MANIFEST_TYPE, type ImageContent } from './registry/image-content.js';
export { standinPackages } from './standins/packages.js';
