import type { Surroundings } from '@windlass/windlass/command-line';
import { windlassProgram } from '@windlass/windlass/whole';
import type { Command } from 'commander';
import { benchCommand } from './commands/bench.js';
import { checkDefaultsCommand } from './commands/check-defaults.js';
import { demoCommand } from './commands/demo.js';
import { labCommand } from './commands/lab.js';
import { testCommand } from './commands/test.js';
import { upWithLab } from './up-with-lab.js';

/** Every command of the product and of the workbench. */
export const wholeProgram = (where: Surroundings): Command =>
  windlassProgram(where, upWithLab(where))
    .addCommand(demoCommand(where))
    .addCommand(labCommand(where))
    .addCommand(testCommand(where))
    .addCommand(benchCommand(where))
    .addCommand(checkDefaultsCommand());
