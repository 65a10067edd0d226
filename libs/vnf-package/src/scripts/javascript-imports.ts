import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path/posix';
import type { Options, Program } from 'acorn';

/** What a module of JavaScript imports at its top. */
export interface ModuleImport {
  /** From 1. */
  line: number;
  /** As it is written: `./beside.mjs`, `node:path`. */
  from: string;
}

/** Why a text is no JavaScript, with its line. */
export interface ScriptFault {
  number: number;
  fault: string;
}

const OPTIONS: Options = { ecmaVersion: 'latest', locations: true, allowHashBang: true };

/**
 * Reads JavaScript, and runs nothing of it. What reads it is large, and is loaded with the first script. What `import()` names is found where it is run, if at all: a script can do without it.
 * @param isModule whether Node takes the file for a module whatever stands in it
 */
export async function moduleImports(text: string, isModule: boolean): Promise<{ imports: ModuleImport[] } | ScriptFault> {
  const read = await parsed(text, 'module');
  if ('program' in read) return { imports: importsOf(read.program) };
  return !isModule && 'program' in (await parsed(text, 'script')) ? { imports: [] } : read;
}

async function parsed(text: string, sourceType: 'module' | 'script'): Promise<{ program: Program } | ScriptFault> {
  const { parse } = await import('acorn');
  try {
    return { program: parse(text, { ...OPTIONS, sourceType, allowReturnOutsideFunction: sourceType === 'script' }) };
  } catch (error) {
    if (error instanceof RangeError) return { number: 1, fault: 'what stands in it is nested too deeply' };
    if (!(error instanceof SyntaxError)) throw error;
    const { line = 1 } = (error as SyntaxError & { loc?: { line: number } }).loc ?? {};
    return { number: line, fault: error.message.replace(/ \(\d+:\d+\)$/, '') };
  }
}

const importsOf = ({ body }: Program): ModuleImport[] =>
  body.flatMap((each) => {
    const takes =
      each.type === 'ImportDeclaration' || each.type === 'ExportNamedDeclaration' || each.type === 'ExportAllDeclaration';
    const from = takes ? each.source?.value : undefined;
    return typeof from === 'string' ? [{ line: each.loc?.start.line ?? 1, from }] : [];
  });

/** What of an import is not there; undefined where it is. A script has Node's own modules and the package's files, each by its whole name. */
export function absentModule(path: string, from: string, has: (name: string) => boolean): string | undefined {
  if (isBuiltin(from) || from.startsWith('data:')) return undefined;
  if (!/^\.{1,2}\//.test(from)) return `${from}, which is neither a module of Node nor a file beside it ("./${from}")`;
  const name = join(dirname(path), decoded(withoutQuery(from)));
  if (has(name)) return undefined;
  const meant = [`${name}.mjs`, `${name}.js`, `${name}/index.mjs`, `${name}/index.js`].find(has);
  return `${from}, which the package has not${meant === undefined ? '' : `: it has ${meant}, and an import needs the whole name`}`;
}

/** A module's name without what Node reads as its query. */
const withoutQuery = (from: string): string => from.slice(0, from.search(/[?#]|$/));

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
