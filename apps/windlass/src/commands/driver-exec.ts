import { Command } from 'commander';
import type { Surroundings } from '../surroundings/config.js';
import type { ExecOptions } from './exec-driver.js';

/** `./windlass driver exec`. */
export const driverExecCommand = (where: Surroundings): Command =>
  new Command('exec')
    .description('run an executable as a management driver, until it is told to stop')
    .argument('<executable>', 'the driver: a program or a script with a #! line')
    .option(
      '--data <dir>',
      'the data folder of the Windlass that it is for, which "windlass up" started (default: ~/.cache/windlass/data)',
    )
    .option('--user <name>', 'run its processes as this user, who can read neither our key nor our passwords (root only)')
    .addHelpText('after', EXEC_HELP)
    .action(async (path: string, options: ExecOptions) => {
      const { execDriver } = await import('./exec-driver.js');
      await execDriver(where, path, options);
    });

const EXEC_HELP = `
The executable is started anew for each question and each step; JSON lines go over its standard input and output. docs/contracts/mgmt-driver.md has
them, "windlass driver new" makes one to begin with, and "windlass driver test" tries it without a Windlass.

With NATS_URL in the environment it joins that NATS, as any service of drivers: NATS_USER, NATS_PASSWORD or NATS_PASSWORD_FILE, WORKER_KEY_FILE,
ENROLMENT_TOKEN_FILE (a file that "windlass enrolment-token create --service <its service>" wrote). Without it, it joins the Windlass of the data
folder, which gives it a NATS user and an enrolment token by itself.

Its processes have PATH, LANG and HOME, a folder that goes with them, and no other variable. To bring the next version of a driver, start it under
its own path beside this one, then stop this one: steps of plans that are under way go on in the new one, which must still have their actions.`;
