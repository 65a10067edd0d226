import type { JsonObject } from '@windlass/foundation';
import { Command } from 'commander';
import { text } from '../client/text.js';
import type { Surroundings } from '../surroundings/config.js';
import { apiOf, withTarget, type TargetOptions } from '../target/target.js';

const DRIVERS = '/windlass/v1/drivers';
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** `./windlass driver list` and `remove`, which ask a running Windlass and need nothing of what runs a driver. */
export function driverListCommand(where: Surroundings): Command {
  const command = new Command('driver').description('management drivers, which VNFDs bind their hooks to');
  withTarget(command.command('list').description('the drivers that announced themselves, a line each')).action(
    async (options: TargetOptions) => {
      for (const driver of await (await apiOf(where, options)).list(DRIVERS)) print(driverLine(driver));
    },
  );
  withTarget(
    command
      .command('remove <name>')
      .description('forget a driver, so that another service may have its name; it is known again when its service starts'),
  ).action(async (name: string, options: TargetOptions) =>
    (await apiOf(where, options)).delete(`${DRIVERS}/${encodeURIComponent(name)}`),
  );
  return command;
}

/** A driver as the REST API shows it, on one line. */
export const driverLine = ({ name, service, version, contract, hooks, announcedAt, announcedBy }: JsonObject): string =>
  [
    text(name),
    `of ${text(service)}`,
    `version ${text(version)}`,
    ...(contract === 2 ? [] : [`contract ${text(contract)}: refused, rebuild it (docs/contracts/mgmt-driver.md)`]),
    Array.isArray(hooks) && hooks.length > 0 ? hooks.map(text).join(',') : 'no hooks',
    `announced ${text(announcedAt)} by key ${announcedBy === null ? '(none)' : text(announcedBy)}`,
  ].join('  ');
