import { ownWords, surroundings } from './surroundings/config.js';
import { programOf } from './program-of.js';
import { run } from './run.js';

const where = surroundings();

await run(await programOf(ownWords(), where, async () => (await import('./program.js')).windlassProgram(where)));
