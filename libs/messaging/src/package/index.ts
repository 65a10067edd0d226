export * from './package-client.js';
export * from './package-contract.js';
