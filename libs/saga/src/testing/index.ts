export * from './journal-contract.js';
export * from './memory-journal.js';
export * from './simulation.js';
export * from './unbounded.js';
