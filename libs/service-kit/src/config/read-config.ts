import { validateSync } from 'class-validator';
import { readFileSync } from 'node:fs';
import { MASK, Secret, TerminalError } from '@windlass/foundation';
import { isRequired, variablesOf, type Variable } from './variable.js';

/** The environment: names and texts. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration is wrong; starting again will not help. One line per wrong variable. */
export class ConfigError extends TerminalError {
  constructor(readonly problems: readonly string[]) {
    super('config.wrong', `the configuration is wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/** The environment of this process. */
export const processEnvironment = (): Environment => process.env;

type Found = Text | { problem: string } | undefined;

/** What stands for the variable: its own text, or for secrets that of the file. Empty is absent. */
function find(variable: Variable, environment: Environment): Found {
  const text = nonEmpty(environment[variable.name]);
  if (variable.secret !== true) return text === undefined ? undefined : { text, from: variable.name };
  const fileName = `${variable.name}_FILE`;
  const file = nonEmpty(environment[fileName]);
  if (file === undefined) return text === undefined ? undefined : { text, from: variable.name };
  if (text !== undefined) return { problem: `${variable.name} and ${fileName} are both given; keep one` };
  try {
    const content = nonEmpty(readFileSync(file, 'utf8').replace(/\r?\n$/, ''));
    return content === undefined ? { problem: `${fileName} names ${file}, which is empty` } : { text: content, from: fileName };
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'it can’t be read';
    return { problem: `${fileName} names ${file}, which can't be read (${reason}); expected a file with ${variable.expected}` };
  }
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

const wrong = (variable: Variable, from: string, text: string): string =>
  `${from} is ${variable.secret === true ? MASK : JSON.stringify(text)}; expected ${variable.expected}`;

/**
 * Reads a configuration class from the environment, once: texts become values by the variables' readers, then class-validator's decorators on
 * the class have their say.
 * @throws ConfigError naming every variable that is wrong or missing, its value unless it is secret, and what was expected
 */
export function readConfig<C extends object>(type: new () => C, environment: Environment): C {
  const config = new type();
  const given = new Map<string, Text>();
  const variables = variablesOf(type.prototype as object);
  const problems = new Map<string, string>();
  for (const variable of variables) {
    const problem = readInto(config, variable, environment, given);
    if (problem !== undefined) problems.set(variable.member, problem);
  }
  for (const [member, problem] of broken(config, variables, given)) if (!problems.has(member)) problems.set(member, problem);
  if (problems.size > 0) throw new ConfigError(variables.flatMap(({ member }) => problems.get(member) ?? []));
  return config;
}

interface Text {
  text: string;
  from: string;
}

/** Sets one member of the configuration; what is wrong with its variable, if anything is. */
function readInto(config: object, variable: Variable, environment: Environment, given: Map<string, Text>): string | undefined {
  const found = find(variable, environment);
  if (found === undefined) {
    if (!isRequired(Reflect.get(config, variable.member))) return undefined;
    Reflect.set(config, variable.member, undefined);
    return variable.optional === true ? undefined : `${variable.name} is not set; expected ${variable.expected}`;
  }
  if ('problem' in found) return found.problem;
  given.set(variable.member, found);
  const value = variable.read === undefined ? found.text : variable.read(found.text);
  if (value === undefined) return wrong(variable, found.from, found.text);
  Reflect.set(config, variable.member, value);
  return undefined;
}

/** What class-validator has against the configuration, by member. A broken rule without a text given is a wrong default, told the same way. */
function broken(config: object, variables: readonly Variable[], given: ReadonlyMap<string, Text>): Map<string, string> {
  const errors = validateSync(config, { forbidUnknownValues: false, skipUndefinedProperties: true });
  return new Map(
    variables
      .filter(({ member }) => errors.some(({ property }) => property === member))
      .map((variable) => {
        const { text, from } = given.get(variable.member) ?? {
          text: String(Reflect.get(config, variable.member)),
          from: variable.name,
        };
        return [variable.member, wrong(variable, from, text)];
      }),
  );
}

/** Every secret in a configuration, for logs to mask. */
export const secretsIn = (config: object): Secret[] => Object.values(config).filter((value) => value instanceof Secret);
