export * from './hosts/index.js';
export * from './kubernetes/index.js';
export * from './machine-fleet.js';
export * from './openstack/index.js';
export { imageContent, MANIFEST_TYPE, type ImageContent } from './registry/image-content.js';
export { REGISTRY_ENTRYPOINT, registryTree } from './registry/registry-image.js';
export { standinPackages } from './standins/packages.js';
export { startTestCluster, type TestCluster } from './standins/testing/test-cluster.js';
