export * from './links.js';
export * from './render.js';
