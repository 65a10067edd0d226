/** The lifecycle's store in memory, and the contract suite of this store and the real one. For tests only. */
export * from './lcm-store-contract.js';
export * from './memory-lcm-store.js';
export * from './records.js';
