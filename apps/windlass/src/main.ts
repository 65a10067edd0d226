import { surroundings } from './config.js';
import { windlassProgram } from './program.js';
import { run } from './run.js';

await run(windlassProgram(surroundings()));
