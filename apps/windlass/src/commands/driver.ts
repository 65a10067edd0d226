import type { Command } from 'commander';
import type { Surroundings } from '../surroundings/config.js';
import { driverExecCommand } from './driver-exec.js';
import { driverListCommand } from './driver-list.js';
import { driverNewCommand } from './driver-new.js';
import { driverTestCommand } from './driver-test.js';

/** `./windlass driver`: the management drivers that announced themselves, and what runs, makes and tries one. */
export const driverCommand = (where: Surroundings): Command =>
  driverListCommand(where)
    .addCommand(driverExecCommand(where))
    .addCommand(driverNewCommand(where))
    .addCommand(driverTestCommand(where));
