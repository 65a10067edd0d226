import { MASK, nearest, RequestError } from '@windlass/foundation';
import { ConfigError } from '@windlass/service-kit';
import { resolve } from 'node:path';
import { settingsOfEnvironment, settingsOfFile, settingsOfOptions, type GivenSetting } from './given-settings.js';
import { CONFIGURED_SERVICES, knownVariables, readAsService, type KnownVariable } from './known-variables.js';
import { setByUp } from './set-by-up.js';

/** A setting that differs from the services' own default, as it is printed and stands in the JSON of `up`. */
export type ShownSetting = {
  name: string;
  /** Masked where it is a secret. */
  value: string;
  /** As one would write it; null where there is none. */
  default: string | null;
  /** Where it stands: `--set`, a line of the file, a variable of the environment, the lab. */
  from: string;
  /** The services that read it. */
  services: readonly string[];
};

/** What the services of a deployment are told beside what `up` sets. */
export interface Settings {
  /** What a service is told: only what it knows. */
  environment: (service: string) => Readonly<Record<string, string>>;
  shown: readonly ShownSetting[];
  /** A line for each variable of the environment that services know and `up` does not take. */
  untaken: readonly string[];
}

/** How settings are given. */
export interface SettingsWish {
  /** `NAME=value`, of `--set`. */
  set: readonly string[];
  /** Of `--config`. */
  config?: string;
  calledFrom: string;
  /** The whole environment that the command was called in. */
  environment: Readonly<Record<string, string>>;
  /** What of it services are always told (`inherited`). */
  inherited: Readonly<Record<string, string>>;
  /** The kind of Kubernetes of the lab that is started too. */
  lab?: string;
}

/** In the place of what `up` sets, where only reading is tried. */
const STANDING_IN = {
  NATS_URL: 'nats://127.0.0.1:4222',
  DATABASE_URL: 'postgres://windlass@127.0.0.1/windlass',
  MASTER_KEY: '0'.repeat(64),
  WINDLASS_PUBLIC_URL: 'http://127.0.0.1:9890',
};

/**
 * Reads what is given and holds it against what the services read: `--set` goes before the file, the file before the environment.
 * @throws RequestError 400 `settings.refused` with a line for each setting that no service knows, that is not the operator's, or that a service refuses
 */
export async function readSettings(wish: SettingsWish): Promise<Settings> {
  const known = knownVariables();
  const sources = [
    settingsOfOptions(wish.set, wish.calledFrom),
    ...(wish.config === undefined ? [] : [await settingsOfFile(wish.config, wish.calledFrom)]),
    settingsOfEnvironment(wish.environment, wish.calledFrom),
  ];
  const given = new Map<string, GivenSetting>();
  for (const setting of [...sources.flatMap(({ settings }) => settings), ...inheritedOnes(wish, known)])
    if (!given.has(setting.name)) given.set(setting.name, setting);
  const problems = sources.flatMap((source) => source.problems);
  const taken = new Map<string, string>();
  for (const setting of given.values()) {
    const problem = refusal(setting, known, wish.lab);
    if (problem === undefined) taken.set(setting.name, valueOf(setting, known));
    else problems.push(`${setting.from}: ${problem}`);
  }
  const environment = (service: string): Record<string, string> =>
    Object.fromEntries([...taken].filter(([name]) => variableOf(name, known)?.services.includes(service) === true));
  problems.push(...refusedByServices(environment));
  if (problems.length > 0)
    throw new RequestError(400, 'settings.refused', `nothing was started:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  const shown = [...given.values()].flatMap((setting) => shownOf(setting, taken.get(setting.name) ?? '', known));
  return { environment, shown, untaken: untakenOf(wish, known, given) };
}

/** A setting for people: `  LOG_LEVEL=debug instead of info (--set; saga-coordinator, lcm-api)`. */
export const settingLine = ({ name, value, default: initial, from, services }: ShownSetting): string =>
  `${name}=${value} instead of ${initial === null ? 'nothing' : initial === '' ? '(empty)' : initial} (${from}; ${services.length === CONFIGURED_SERVICES.length ? 'all services' : services.join(', ')})`;

/** The variable that a name stands for, a secret's `<NAME>_FILE` too. */
function variableOf(name: string, known: ReadonlyMap<string, KnownVariable>): KnownVariable | undefined {
  const own = known.get(name);
  if (own !== undefined || !name.endsWith('_FILE')) return own;
  const secret = known.get(name.slice(0, -'_FILE'.length));
  return secret?.secret === true ? secret : undefined;
}

const isPath = (name: string, known: ReadonlyMap<string, KnownVariable>): boolean =>
  known.get(name)?.path ?? name.endsWith('_FILE');

const isSecret = (name: string, known: ReadonlyMap<string, KnownVariable>): boolean => known.get(name)?.secret === true;

const valueOf = ({ name, value, folder }: GivenSetting, known: ReadonlyMap<string, KnownVariable>): string =>
  isPath(name, known) ? resolve(folder, value) : value;

function refusal(
  { name, onCommandLine }: GivenSetting,
  known: ReadonlyMap<string, KnownVariable>,
  lab: string | undefined,
): string | undefined {
  if (variableOf(name, known) === undefined) return unknown(name, known);
  const own = setByUp(name, lab);
  if (own !== undefined) return `${name} is set by "up": ${own}`;
  if (!onCommandLine || !isSecret(name, known)) return undefined;
  return `${name} is a secret, and every user of this machine can read a command line: give ${name}_FILE=<file that holds it>`;
}

function unknown(name: string, known: ReadonlyMap<string, KnownVariable>): string {
  const names = [...known.values()].flatMap((variable) =>
    variable.secret ? [variable.name, `${variable.name}_FILE`] : [variable.name],
  );
  const like = nearest(name, names);
  return `no service knows ${name}${like === undefined ? '' : `; did you mean ${like}?`} (docs/configuration.md has them all)`;
}

/** What services are always told of the environment is read as they read it, too. */
const inheritedOnes = ({ inherited, calledFrom }: SettingsWish, known: ReadonlyMap<string, KnownVariable>): GivenSetting[] =>
  Object.entries(inherited).flatMap(([name, value]) =>
    known.has(name) && value !== ''
      ? [{ name, value, from: `${name} of the environment`, folder: calledFrom, onCommandLine: false }]
      : [],
  );

/** What the services' own readers have against it, each line once with the services that say so. */
function refusedByServices(environment: (service: string) => Record<string, string>): string[] {
  const said = new Map<string, string[]>();
  for (const service of CONFIGURED_SERVICES) {
    try {
      readAsService(service, { ...STANDING_IN, ...environment(service) });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const problem of error.problems) said.set(problem, [...(said.get(problem) ?? []), service]);
    }
  }
  return [...said].map(([problem, services]) => `${problem} (${services.join(', ')})`);
}

function shownOf(setting: GivenSetting, value: string, known: ReadonlyMap<string, KnownVariable>): ShownSetting[] {
  const { name, from } = setting;
  const variable = variableOf(name, known);
  if (variable === undefined || variable.default === value) return [];
  const shown = isSecret(name, known) ? MASK : value;
  return [{ name, value: shown, default: variable.default ?? null, from, services: variable.services }];
}

/** A variable that a service would read if it were its own environment, and that `up` does not pass on. */
function untakenOf(
  { environment, inherited, lab }: SettingsWish,
  known: ReadonlyMap<string, KnownVariable>,
  given: ReadonlyMap<string, GivenSetting>,
): string[] {
  const names = Object.keys(environment).filter((name) => variableOf(name, known) !== undefined);
  return names.flatMap((name) => {
    if (name in inherited || given.has(name)) return [];
    const own = setByUp(name, lab);
    const how =
      own === undefined
        ? `give it by --set ${name}=…, in a file by --config, or as WINDLASS_SET_${name}`
        : `"up" sets it itself: ${own}`;
    const secret = isSecret(name, known) && own === undefined ? `give ${name}_FILE by --set, or WINDLASS_SET_${name}` : how;
    return [`${name} of the environment is not taken; ${secret}`];
  });
}
