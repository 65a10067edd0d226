import type { Surroundings } from '@windlass/windlass/command-line';
import { upCommand } from '@windlass/windlass/up';
import type { Command } from 'commander';
import { upWithLab } from './up-with-lab.js';

/** `up` without the rest of the command line, which it does not load. */
export const upAlone = (where: Surroundings): Command => upCommand(where, upWithLab(where));
