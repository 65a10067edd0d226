export * from './coordinator-server.js';
export * from './nats-coordinator-client.js';
export * from './nats-wake-up-sender.js';
export * from './saga-contracts.js';
export * from './step-log.js';
