/** The lifecycle's port in memory, and the suite that it and the real adapter are held to. Not for a product's use. */
export * from './lcm-store-contract.js';
export * from './memory-lcm-store.js';
export * from './records.js';
