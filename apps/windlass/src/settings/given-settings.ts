import { RequestError } from '@windlass/foundation';
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** A variable of the services as somebody gave it. */
export interface GivenSetting {
  name: string;
  value: string;
  /** Where it stands, for messages: `--set`, `lab.conf, line 3`, `WINDLASS_SET_LOG_LEVEL of the environment`. */
  from: string;
  /** The folder that a relative path is relative to. */
  folder: string;
  /** It stands on the command line, where every user of the machine can read it. */
  onCommandLine: boolean;
}

/** What begins the names of variables of the environment that are settings: `WINDLASS_SET_LOG_LEVEL`. */
export const SETTING_PREFIX = 'WINDLASS_SET_';

/** A file of settings is short; what is longer is another file. */
const MOST_BYTES = 1024 ** 2;

const NAME = /^[A-Z][A-Z0-9_]*$/;

/** Settings with what is wrong with how they are given. */
export interface ReadSettings {
  settings: GivenSetting[];
  problems: string[];
}

/** `NAME=value` of `--set`, as often as it was given. */
export function settingsOfOptions(texts: readonly string[], folder: string): ReadSettings {
  const read: ReadSettings = { settings: [], problems: [] };
  for (const text of texts) take(read, text, { from: '--set', folder, onCommandLine: true });
  return read;
}

/**
 * A file of settings: lines NAME=value, empty lines, and lines that begin with #. Relative paths are relative to the file's folder.
 * @throws RequestError 400 `settings.file` where there is no such file, or no text
 */
export async function settingsOfFile(file: string, calledFrom: string): Promise<ReadSettings> {
  const path = resolve(calledFrom, file);
  const text = await textIn(path, file);
  const read: ReadSettings = { settings: [], problems: [] };
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const from = `${file}, line ${index + 1}`;
    const at = line.indexOf('=');
    const value = at < 0 ? undefined : valueOfLine(line.slice(at + 1).trim());
    if (at >= 0 && value === undefined)
      read.problems.push(`${from}: a comment stands on a line of its own; a value that has # is written in quotes`);
    else
      take(read, value === undefined ? line : `${line.slice(0, at).trimEnd()}=${value}`, {
        from,
        folder: dirname(path),
        onCommandLine: false,
      });
  }
  return read;
}

/** The variables of the environment that begin with {@link SETTING_PREFIX}. */
export function settingsOfEnvironment(environment: Readonly<Record<string, string>>, folder: string): ReadSettings {
  const read: ReadSettings = { settings: [], problems: [] };
  for (const [variable, value] of Object.entries(environment))
    if (variable.startsWith(SETTING_PREFIX))
      take(read, `${variable.slice(SETTING_PREFIX.length)}=${value}`, {
        from: `${variable} of the environment`,
        folder,
        onCommandLine: false,
      });
  return read;
}

/** Without its quotes; undefined where a comment stands behind it. */
function valueOfLine(text: string): string | undefined {
  const quoted = /^(["'])(.*)\1$/.exec(text);
  if (quoted !== null) return quoted[2];
  return /\s#/.test(text) ? undefined : text;
}

/** A value may be a secret, so no message shows one. */
function take({ settings, problems }: ReadSettings, text: string, where: Omit<GivenSetting, 'name' | 'value'>): void {
  const { from } = where;
  const at = text.indexOf('=');
  const name = text.slice(0, at < 0 ? undefined : at);
  const value = text.slice(at + 1);
  if (at < 0 || !NAME.test(name)) {
    problems.push(`${from}: expected NAME=value, the name in capital letters${NAME.test(name) ? `, not ${name} alone` : ''}`);
    return;
  }
  const earlier = settings.find((one) => one.name === name);
  if (earlier !== undefined) problems.push(`${from}: ${name} is given twice (${earlier.from}); keep one`);
  else if (value === '') problems.push(`${from}: ${name} has no value; leave it out to keep its default`);
  else if (/[\u0000-\u001f\u007f]/.test(value)) problems.push(`${from}: the value of ${name} has control characters`);
  else settings.push({ name, value, ...where });
}

async function textIn(path: string, file: string): Promise<string> {
  const refused = (why: string): RequestError =>
    new RequestError(400, 'settings.file', `--config ${file}: ${why}; expected a file with lines NAME=value`);
  try {
    if ((await stat(path)).size > MOST_BYTES) throw refused('it has more than 1 MiB');
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw refused('there is no such file');
    if (code === 'EISDIR') throw refused('it is a folder');
    throw refused(
      code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is no text in UTF-8' : `it can't be read (${code ?? String(error)})`,
    );
  }
}
