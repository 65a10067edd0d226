/** What a program needs that starts a command: small, so that a call is quick. */
export { ownWords, surroundings, type Surroundings } from './surroundings/config.js';
export { programOf, type CommandsAlone } from './program-of.js';
export { run } from './run.js';
