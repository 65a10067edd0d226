/** What a program needs that has `up` as a command of its own, and no other. */
export { upCommand, type UpProgram } from './commands/up.js';
