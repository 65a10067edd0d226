export * from './api-versions.js';
