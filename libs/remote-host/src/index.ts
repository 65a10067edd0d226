export { MemoryHostKeys, fingerprint, type ExpectedKeys, type HostClaim, type HostKeyStore } from './connection/host-keys.js';
export { KeyLooks, type KeyPair } from './connection/key-looks.js';
export { privateKeyFault } from './connection/private-key.js';
export type { RemoteHostOptions } from './connection/options.js';
export { RemoteHosts } from './remote-hosts.js';
