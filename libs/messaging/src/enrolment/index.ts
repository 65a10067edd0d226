export * from './claim-proof.js';
export * from './enrolment.js';
export * from './enrolment-contract.js';
export * from './enrolment-server.js';
export * from './enrolment-store.js';
export * from './enrolment-token.js';
export * from './known-keys.js';
