export { MemoryHostKeys, fingerprint, type HostKeyStore } from './connection/host-keys.js';
export type { RemoteHostOptions } from './options.js';
export { RemoteHosts } from './remote-hosts.js';
