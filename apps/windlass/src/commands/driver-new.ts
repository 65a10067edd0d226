import { DRIVER_LANGUAGES, type DriverLanguage } from '@windlass/driver-kit/languages';
import { Command, Option } from 'commander';
import { basename, join, resolve } from 'node:path';
import type { Surroundings } from '../surroundings/config.js';

interface NewOptions {
  language: DriverLanguage;
  name?: string;
  service?: string;
}

/** `./windlass driver new`. */
export const driverNewCommand = (where: Surroundings): Command =>
  new Command('new')
    .description('make a management driver to begin with, which writes a notice to VMs')
    .argument('<folder>', 'where it is made; a folder that is not there yet')
    .addOption(new Option('--language <language>', 'what it is written in').choices(DRIVER_LANGUAGES).makeOptionMandatory())
    .option('--name <name>', 'what VNFDs call it (default: the name of the folder)')
    .option('--service <name>', 'its service, which has a NATS user and a key of its own (default: its name and "-mgmt")')
    .addHelpText('after', NEW_HELP)
    .action(async (folder: string, { language, name: given, service: givenService }: NewOptions) => {
      const { newDriver } = await import('@windlass/driver-kit');
      const path = resolve(where.calledFrom, folder);
      const name = given ?? basename(path);
      newDriver({ language, folder: path, name, service: givenService ?? `${name}-mgmt` });
      const built = language === 'typescript' ? `  cd ${folder} && npm install && npm run build\n` : '';
      process.stdout.write(
        `made ${join(folder, 'driver')}, the driver ${name} in ${language}. Next:\n${built}  ./windlass driver test ${join(folder, 'driver')}\n  ./windlass driver exec ${join(folder, 'driver')}\n`,
      );
    });

const NEW_HELP = `
shell needs sh, awk and sed; python needs Python 3 and its standard library; typescript needs Node and, to be built, npm.
docs/contracts/mgmt-driver.md says what a driver is asked and what it answers.`;
