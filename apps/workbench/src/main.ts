import { ownWords, programOf, run, surroundings, type CommandsAlone } from '@windlass/windlass/command-line';

/** What `./windlass` starts: the product's command line, and beside it what shows, tests and measures the product, where that is called. */
const where = surroundings();
const up: CommandsAlone[string] = async () => {
  const [{ upCommand }, { upWithLab }] = await Promise.all([import('@windlass/windlass/up'), import('./up-with-lab.js')]);
  return upCommand(where, upWithLab(where));
};

await run(await programOf(ownWords(), where, async () => (await import('./whole-program.js')).wholeProgram(where), { up }));
