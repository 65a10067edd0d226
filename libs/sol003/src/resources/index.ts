export * from './grant.js';
export * from './subscriptions.js';
