export * from './grant.js';
export * from './connectivity.js';
export * from './lifecycle.js';
export * from './packages.js';
export * from './subscriptions.js';
export { MEMBERS, type Fate } from './members.js';
export { unusedMemberWarning, typeNameOf, unusedMembers, type UnusedMembers } from './unused-members.js';
