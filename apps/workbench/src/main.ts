import { ownWords, programOf, run, surroundings, type CommandsAlone } from '@windlass/windlass/command-line';

/** What `./windlass` starts: the product's command line, and beside it what shows, tests and measures the product, where that is called. */
const where = surroundings();
const up: CommandsAlone[string] = async () => (await import('./up-alone.js')).upAlone(where);

await run(await programOf(ownWords(), where, async () => (await import('./whole-program.js')).wholeProgram(where), { up }));
