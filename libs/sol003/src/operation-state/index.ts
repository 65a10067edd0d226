export * from './state-machine.js';
