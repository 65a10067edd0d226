import { ownWords, programOf, run, surroundings, type CommandsAlone } from '@windlass/windlass/command-line';

/** What `./windlass` starts: the product's command line, and beside it what shows, tests and measures the product, where that is called. */
const where = surroundings();
const more: CommandsAlone = {
  up: async () => (await import('./up-alone.js')).upAlone(where),
  demo: async () => (await import('./commands/demo.js')).demoCommand(where),
  bench: async () => (await import('./commands/bench.js')).benchCommand(where),
};

await run(await programOf(ownWords(), where, async () => (await import('./whole-program.js')).wholeProgram(where), more));
