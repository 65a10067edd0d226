import { shownDefault, variablesOf, type Variable } from './variable.js';

export interface HelpSubject {
  name: string;
  version: string;
  /** What the service is for: one sentence. */
  description: string;
  config: new () => object;
}

/** The text of `--help`: what the service is, and every variable with its meaning, what is expected and its default. */
export function helpText({ name, version, description, config }: HelpSubject): string {
  const defaults = new config();
  const variables = variablesOf(config.prototype as object);
  return [
    `${name} ${version}`,
    description,
    '',
    `Usage: node main.js [--help | --version]`,
    '',
    'It is configured by environment variables:',
    ...variables.map((variable) => paragraph(variable, Reflect.get(defaults, variable.member))),
    '',
    'Exit status: 0 stopped in order, 1 failed (start it again), 78 the configuration is wrong.',
    '',
  ].join('\n');
}

function paragraph(variable: Variable, initial: unknown): string {
  const shown = shownDefault(variable, initial);
  const presence =
    shown !== undefined ? `default: ${shown === '' ? '(empty)' : shown}` : variable.optional === true ? 'optional' : 'required';
  const name = variable.secret === true ? `${variable.name} (or ${variable.name}_FILE)` : variable.name;
  return `\n  ${name}\n      ${variable.meaning}\n      ${variable.expected}; ${presence}`;
}
