import { windlassProgram, type Surroundings } from '@windlass/windlass';
import type { Command } from 'commander';
import { join } from 'node:path';
import { benchCommand } from './commands/bench.js';
import { checkDefaultsCommand } from './commands/check-defaults.js';
import { demoCommand } from './commands/demo.js';
import { labCommand } from './commands/lab.js';
import { testCommand } from './commands/test.js';
import { bringLab } from './lab/bring-lab.js';
import { LAB_KUBERNETES } from './lab/lab.js';

/** Every command of the product and of the workbench. */
export const wholeProgram = (where: Surroundings): Command =>
  windlassProgram(where, {
    program: join(where.home, 'apps/workbench/dist/main.js'),
    bringLab,
    labKubernetes: LAB_KUBERNETES,
  })
    .addCommand(demoCommand(where))
    .addCommand(labCommand(where))
    .addCommand(testCommand(where))
    .addCommand(benchCommand(where))
    .addCommand(checkDefaultsCommand());
