export * from './lcm-notifications.js';
export * from './matches-subscription.js';
export * from './pkgm-notifications.js';
export * from './subscription-key.js';
