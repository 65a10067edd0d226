export * from './start-vim-registry.js';
export { vimRegistry } from './service.js';
export { ClusterNodes, type LookTimes } from './cluster-nodes.js';
