export * from './vim-client.js';
export * from './vim-contracts.js';
export * from './nats-host-keys.js';
