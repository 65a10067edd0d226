export * from './start-vim-registry.js';
export { vimRegistry } from './service.js';
