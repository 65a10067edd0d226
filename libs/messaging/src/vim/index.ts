export * from './claim-vim-client.js';
export * from './nats-host-keys.js';
export * from './vim-administration.js';
export * from './vim-claim-contracts.js';
export * from './vim-check-contract.js';
export * from './vim-client.js';
export * from './vim-contracts.js';
export * from './vim-warning.js';
