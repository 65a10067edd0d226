export * from './start-coordinator.js';
export { sagaCoordinator } from './service.js';
export { NfvoClient } from './nfvo/nfvo-client.js';
export { nfvoOf, NfvoConfig, type NfvoSettings } from './nfvo/nfvo-config.js';
