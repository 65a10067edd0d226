export * from './answers/answer-errors.js';
export * from './answers/notification-errors.js';
export * from './answers/watched-servers.js';
