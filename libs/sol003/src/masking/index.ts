export * from './masking.js';
