import {
  isJsonObject,
  TerminalError,
  TransientError,
  RequestError,
  type Json,
  type JsonObject,
  type WindlassError,
} from '@windlass/foundation';

/** The version of what an executable and `driver exec` say to each other; it stands in each request as `windlass`. */
export const EXEC_PROTOCOL = 1;

/** What one process may say at most. */
export const EXEC_LIMITS = {
  /** Bytes of a line: a plan has 512 KiB at most. */
  line: 1024 * 1024,
  /** Lines on its standard output. */
  lines: 10_000,
  /** Characters of a line of its standard error that are logged, and how many of its lines. */
  errorLine: 2_000,
  errorLines: 1_000,
  /** Characters of a line of progress. */
  progress: 200,
} as const;

/** A script for a machine of the step's input. */
export interface ScriptAsk {
  /** Names one job within a run: a script that is asked for again after a loss attaches to the same job. */
  name: string;
  /** bash. */
  text: string;
  /** JSON pointer of the machine in the step's input; `/machine` unless given. */
  on: string;
  /** Words, or the path of one of {@link ScriptAsk.files} on the machine. */
  arguments: readonly (string | { file: string })[];
  /** Files beside the script, readable by root alone. Secrets belong here. */
  files: Readonly<Record<string, string>>;
  env: Readonly<Record<string, string>>;
  withinSeconds: number;
  /** Waits for cloud-init first. */
  firstBoot: boolean;
}

/** What an executable said in one line. */
export type Said =
  | { say: 'answer'; answer: JsonObject }
  | { say: 'done'; output?: Json }
  | { say: 'failed'; error: WindlassError }
  | { say: 'alive' }
  | { say: 'cancelled' }
  | { say: 'progress'; line: string }
  | ({ say: 'script' } & ScriptAsk)
  | { say: 'known-hosts'; on: string };

const CODE = /^[a-z0-9][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** What is wrong with a line; {@link garbage} says whose and which it was. */
class WrongLine extends Error {}

const wrong = (what: string): never => {
  throw new WrongLine(what);
};

/**
 * Reads a line that an executable printed.
 * @param where which line of which process, for the error
 * @param mask takes secrets out of what is shown
 * @throws TerminalError `driver.garbage`
 */
export function readSaid(line: string, where: string, mask: (text: string) => string): Said {
  try {
    return said(parsed(line), mask);
  } catch (error) {
    if (error instanceof WrongLine) throw garbage(where, error.message, mask(line));
    throw error;
  }
}

/** An executable printed what it must not. */
export const garbage = (where: string, what: string, line = ''): TerminalError =>
  new TerminalError(
    'driver.garbage',
    `${where} ${what}${line === '' ? '' : `: ${JSON.stringify(line.slice(0, 100))}`}. Standard output is for the lines that docs/contracts/mgmt-driver.md names alone; print what is for people to standard error`,
  );

function parsed(line: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return wrong('is no JSON');
  }
  return isJsonObject(value) ? value : wrong('is no JSON object');
}

function said(value: JsonObject, mask: (text: string) => string): Said {
  switch (value.say) {
    case 'answer':
      return isJsonObject(value.answer) ? { say: 'answer', answer: value.answer } : wrong('has no object "answer"');
    case 'done':
      return { say: 'done', ...(value.output === undefined ? {} : { output: value.output }) };
    case 'failed':
      return { say: 'failed', error: failure(value, mask) };
    case 'alive':
    case 'cancelled':
      return { say: value.say };
    case 'progress':
      return { say: 'progress', line: mask(text(value, 'line')).split('\n')[0]?.slice(0, EXEC_LIMITS.progress) ?? '' };
    case 'script':
      return { say: 'script', ...script(value) };
    case 'known-hosts':
      return { say: 'known-hosts', on: pointer(value) };
    default:
      return wrong('has a "say" that is none of answer, done, failed, alive, progress, cancelled, script, known-hosts');
  }
}

function failure(value: JsonObject, mask: (text: string) => string): WindlassError {
  const code = text(value, 'code');
  const detail = mask(text(value, 'detail')).slice(0, 4_000);
  if (!CODE.test(code)) return wrong('has a "code" that is not of the form my-driver.what-failed');
  switch (value.kind) {
    case 'transient':
      return new TransientError(code, detail);
    case 'terminal':
      return new TerminalError(code, detail);
    case 'request':
      return new RequestError(400, code, detail);
    default:
      return wrong('has a "kind" that is none of transient, terminal, request');
  }
}

function script(value: JsonObject): ScriptAsk {
  const name = text(value, 'name');
  if (!NAME.test(name)) return wrong('has a "name" of more than letters, digits, ".", "_" and "-"');
  const { arguments: words = [], withinSeconds = 600, firstBoot = false } = value;
  if (!Array.isArray(words) || !words.every(isWord)) return wrong('has "arguments" that are no list of texts and {"file": name}');
  if (typeof withinSeconds !== 'number' || !(withinSeconds >= 1 && withinSeconds <= 86_400))
    return wrong('has a "withinSeconds" that is no number from 1 to 86400');
  if (typeof firstBoot !== 'boolean') return wrong('has a "firstBoot" that is neither true nor false');
  const files = texts(value, 'files');
  const missing = words.find((word) => typeof word !== 'string' && !Object.hasOwn(files, word.file));
  if (typeof missing === 'object') return wrong(`names the file ${JSON.stringify(missing.file)}, which is not among its "files"`);
  const env = texts(value, 'env');
  return { name, text: text(value, 'text'), on: pointer(value), arguments: words, files, env, withinSeconds, firstBoot };
}

const isWord = (word: Json): word is string | { file: string } =>
  typeof word === 'string' || (isJsonObject(word) && typeof word.file === 'string');

function texts(value: JsonObject, member: 'files' | 'env'): Record<string, string> {
  const found = value[member] ?? {};
  if (!isJsonObject(found)) return wrong(`has a "${member}" that is no object`);
  const pairs = Object.entries(found).map(([name, content]): [string, string] => {
    if (!NAME.test(name)) return wrong(`has a name in "${member}" of more than letters, digits, ".", "_" and "-"`);
    return typeof content === 'string' ? [name, content] : wrong(`has a "${member}" with a value that is no text`);
  });
  return Object.fromEntries(pairs);
}

function pointer({ on = '/machine' }: JsonObject): string {
  return typeof on === 'string' && on.startsWith('/') ? on : wrong('has an "on" that is no JSON pointer into the input');
}

function text(value: JsonObject, member: string): string {
  const found = value[member];
  return typeof found === 'string' && found !== '' ? found : wrong(`has no text "${member}"`);
}
