export * from './start-coordinator.js';
export { sagaCoordinator } from './service.js';
