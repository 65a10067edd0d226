/** What a program needs that declares and starts commands: small, so that a call is quick. */
export { withSettings, type SettingOptions } from './commands/setting-options.js';
export { untilStopSignal } from './commands/signals.js';
export { programOf, type CommandsAlone } from './program-of.js';
export { run } from './run.js';
export { ownWords, surroundings, type Surroundings } from './surroundings/config.js';
export { dataDirOf } from './target/data-dir.js';
