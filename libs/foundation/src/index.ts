export * from './duration.js';
export * from './errors.js';
export * from './json.js';
export * from './problem-details.js';
export * from './secret.js';
export * from './wait-until.js';
