import type { Command } from 'commander';
import { inherited, ownEnvironment, type Surroundings } from '../surroundings/config.js';
import type { Settings } from '../settings/settings.js';
import { collected } from './follow-task.js';

/** Options of a command that starts the services. */
export interface SettingOptions {
  set?: string[];
  config?: string;
}

/** Adds the options that say what the services are told. */
export const withSettings = (command: Command): Command =>
  command
    .option(
      '--set <name=value>',
      'tell the services a variable of docs/configuration.md (repeatable); a secret by <NAME>_FILE=<file>',
      collected,
      [],
    )
    .option(
      '--config <file>',
      'a file with more of them: lines NAME=value, comments on lines that begin with #; --set goes before it',
    )
    .addHelpText(
      'after',
      `
WINDLASS_SET_<NAME> in the environment does the same for one variable; --set and --config go before it. What no service knows is refused, and what
"up" sets itself, and what a service would refuse: in its words, before anything is started. What differs from the defaults is printed.`,
    );

/**
 * What the services are told, with a line for each variable of the environment that is not taken.
 * @param lab the kind of Kubernetes of the lab that is started too
 * @throws RequestError `settings.refused`, `settings.file`
 */
export async function settingsOf(
  where: Surroundings,
  { set = [], config }: SettingOptions,
  lab: string | undefined,
  say: (line: string) => void,
): Promise<Settings> {
  const { readSettings, settingLine } = await import('../settings/settings.js');
  const settings = await readSettings({
    set,
    calledFrom: where.calledFrom,
    environment: ownEnvironment(),
    inherited: inherited(),
    ...(config === undefined ? {} : { config }),
    ...(lab === undefined ? {} : { lab }),
  });
  for (const line of settings.untaken) say(`windlass: ${line}`);
  for (const setting of settings.shown) say(`windlass: ${settingLine(setting)}`);
  return settings;
}
