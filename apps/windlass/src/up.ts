/** What a program needs that has `up` as a command of its own, and no other. */
export { upCommand } from './commands/up.js';
export type { UpProgram } from './commands/up-program.js';
