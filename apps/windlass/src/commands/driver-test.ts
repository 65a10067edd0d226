import type { Tried } from '@windlass/driver-kit';
import { RequestError } from '@windlass/foundation';
import { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Surroundings } from '../surroundings/config.js';
import { executableAt } from './executable.js';

interface TestOptions {
  example?: string;
  user?: string;
}

/** `./windlass driver test`. */
export const driverTestCommand = (where: Surroundings): Command =>
  new Command('test')
    .description('hold an executable to the contract of management drivers, without a Windlass and without machines')
    .argument('<executable>', 'the driver, as "driver exec" has it')
    .option('--example <file>', 'the parameters and VMs that it is tried with (default: example.json beside the executable)')
    .option('--user <name>', 'run its processes as this user (root only)')
    .addHelpText('after', TEST_HELP)
    .action(async (path: string, { example, user }: TestOptions) => {
      const { readExample, tryDriver } = await import('@windlass/driver-kit');
      const executable = executableAt(where, path, user);
      const file = example === undefined ? join(dirname(executable.path), 'example.json') : resolve(where.calledFrom, example);
      let [passed, failed] = [0, 0];
      for await (const each of tryDriver(executable, readExample(await textOf(file), file))) {
        if (each.wrong === undefined) passed += 1;
        else failed += 1;
        process.stdout.write(`${triedLine(each)}\n`);
      }
      process.stdout.write(`${passed} passed, ${failed} failed\n`);
      process.exitCode = failed === 0 ? 0 : 1;
    });

/** A line of "driver test". */
export const triedLine = ({ title, wrong }: Tried): string =>
  wrong === undefined ? `ok    ${title}` : `FAIL  ${title}\n      ${wrong}`;

/** @throws RequestError 404 where it can't be read */
async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new RequestError(
      404,
      'driver.no-example',
      `${file} can't be read: write one (see --help), or name another with --example`,
      { cause },
    );
  }
}

const TEST_HELP = `
It asks what the driver is and for the plan of each of its hooks, and runs each step of them: again (duplicate), killed, with its lease lost (stale
epoch), cancelled, on a slow machine, undone; it sends garbage, and parameters that a hostile client would. Scripts that the driver asks for are not
run anywhere: they "end" with status 0 and print nothing. What its processes print to standard error is shown on standard error.

example.json:
  {
    "additionalParams": { "notice": { "text": "...", "username": "ubuntu", "password": "..." } },
    "vnfcs": [{ "id": "a", "vduId": "node", "cp": "CP1", "address": "192.0.2.1" }],
    "operations": { "SCALE": { } }
  }
additionalParams are those of an instantiation, secrets and all; vnfcs the VMs that there are; operations, which may be left out, the
additionalParams of operations on the instance.`;
