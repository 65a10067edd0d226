export * from './resource-changes.js';
