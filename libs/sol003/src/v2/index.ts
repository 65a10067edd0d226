export * from './bodies.js';
export * from './from-v2.js';
export * from './path-of-v2.js';
export * from './to-v2.js';
