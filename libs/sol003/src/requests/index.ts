export * from './grant.js';
export * from './connectivity.js';
export * from './lifecycle.js';
export * from './packages.js';
export * from './subscriptions.js';
