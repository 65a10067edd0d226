import { RequestError, type JsonObject } from '@windlass/foundation';

/** The keys of `additionalParams` by which a request names a user data script of its package. */
const SCRIPT = 'lcm-operation-user-data';
const CLASS = 'lcm-operation-user-data-class';

export type ScriptLanguage = 'python' | 'javascript';

/** A script of the package that computes what Heat is given. */
export interface NamedScript {
  /** Its path in the package. */
  path: string;
  /** The class, or what the module exports. */
  className: string;
  language: ScriptLanguage;
}

const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;
const PATH = /^(?:\.\/)?((?:[^/\\\0]+\/)*[^/\\\0]+\.(?:py|js|mjs))$/;

/** By its file's name: `.py`, or `.js` and `.mjs`. */
export const languageOf = (path: string): ScriptLanguage => (path.endsWith('.py') ? 'python' : 'javascript');

/**
 * The script that a request names; undefined where it names none, and the built-in data is used.
 * @throws RequestError 400 `user-data.incomplete` where one of the two keys is missing, `request.invalid` where one is no path or no name
 */
export function namedScript(additionalParams: JsonObject | undefined): NamedScript | undefined {
  const given = additionalParams ?? {};
  const [script, className] = [given[SCRIPT], given[CLASS]];
  if (script === undefined && className === undefined) return undefined;
  if (script === undefined || className === undefined) {
    const [missing, there] = script === undefined ? [SCRIPT, CLASS] : [CLASS, SCRIPT];
    throw refused(missing, 'user-data.incomplete', `is missing: ${there} is given, and a script is named by both or by neither`);
  }
  const path = typeof script === 'string' ? PATH.exec(script)?.[1] : undefined;
  if (path === undefined || path.split('/').includes('..')) {
    throw refused(
      SCRIPT,
      'request.invalid',
      'should be the path of a script in the package, such as ./UserData/user_data.py (.py, .js or .mjs)',
    );
  }
  if (typeof className !== 'string' || className.length > 200 || !IDENTIFIER.test(className)) {
    throw refused(CLASS, 'request.invalid', `should be the name of a class in ${path}, or of what a module exports`);
  }
  return { path, className, language: languageOf(path) };
}

/** @throws RequestError 400 `user-data.no-script` where the package has no such file */
export function requireInPackage({ path }: NamedScript, files: readonly { path: string }[]): void {
  if (files.some((file) => file.path === path)) return;
  const others = files.map((file) => file.path).filter((each) => /\.(py|js|mjs)$/.test(each) && each.startsWith('UserData/'));
  const known = others.length === 0 ? 'nothing in UserData/' : others.slice(0, 10).join(', ');
  throw refused(SCRIPT, 'user-data.no-script', `the package has no file ${path}; it has ${known}`);
}

function refused(key: string, code: string, reason: string): RequestError {
  const path = `/additionalParams/${key}`;
  return new RequestError(400, code, `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
}
