import { dirname } from 'node:path/posix';
import type { Csar } from '../archive/csar.js';
import { PackageError, type PackageWarning } from '../refusals/package-error.js';
import { BROUGHT, PYTHON_LIBRARY } from './known-modules.js';
import { absentModule, moduleImports, type ModuleImport } from './javascript-imports.js';
import { importsOf, type PythonImport } from './python-imports.js';
import { pythonLines } from './python-lines.js';

/** Larger scripts are not run, and more are not looked at. */
const [MAX_BYTES, MAX_FILES, MAX_TOTAL] = [1024 * 1024, 400, 16 * 1024 * 1024];
/** Modules of a script that are asked for where it is run, and scripts that are warned of. */
const [MAX_INSTALLED, MAX_WARNED] = [50, 20];
/** The method that moves ports, in either language. */
const RECONNECTS = /\bchange_ext_conn\b/;
/** Classes of ours that have it. */
const WITH_METHOD = /\buserdata_(?:default|standard)\b/;

/** Parts of the reference system that are of use in it alone: they are nowhere where user data is run. */
const REFERENCE = /^(?:tacker|oslo)(?:[._]|$)/;
/** A name that a message between services may have. */
const MODULE = /^[\p{L}\p{N}_.]{1,200}$/u;

const SCRIPT = /\.(?:py|js|mjs)$/;

interface Script {
  path: string;
  text: string;
  /** Of Python. */
  imports: PythonImport[];
  /** Of JavaScript. */
  modules: ModuleImport[];
}

/** What onboarding knows of the scripts of a package. */
export interface UserDataScripts {
  /** Those that may have a method `change_ext_conn`, their own or one that they inherit. */
  reconnecting: string[];
  /** By script: modules that must be installed where user data is run, for it and for what it imports of the package. */
  installed: Record<string, string[]>;
  warnings: PackageWarning[];
}

/** An import that finds nothing in the package, in Windlass and in Python's library. */
interface Unfound {
  path: string;
  line: number;
  what: string;
  /** It may be installed where user data is run: nothing else can know. */
  installable: boolean;
}

/**
 * Looks at the scripts of a package, and runs none. What user data imports must be there where it is run: Windlass's own modules, Python's library,
 * the package's files, or what is installed there, which is warned of. What a script can do without, in a `try`, may be missing. A module of
 * JavaScript has Node's modules and the package's files.
 * @throws PackageError `user-data.import-absent` and `user-data.malformed` with file and line
 */
export async function readUserDataScripts(csar: Csar, signal?: AbortSignal): Promise<UserDataScripts> {
  const scripts = await scriptsOf(csar, signal);
  const modules = modulesOf(csar);
  const unfound = scripts
    .filter(({ path }) => isUserData(path))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ optional }) => !optional)
        .flatMap((each) => faultsOf(modules, path, each).map((fault): Unfound => ({ path, line: each.line, ...fault }))),
    );
  const modulesUnfound = scripts
    .filter(({ path }) => isUserData(path))
    .flatMap(({ path, modules: asked }) =>
      asked.flatMap(({ line, from }): Unfound[] => {
        const what = absentModule(path, from, (name) => csar.has(name));
        return what === undefined ? [] : [{ path, line, what, installable: false }];
      }),
    );
  refuseAbsent([...unfound.filter(({ installable }) => !installable), ...modulesUnfound]);
  const outside = unfound.filter(({ installable }) => installable);
  return { reconnecting: reconnecting(scripts), installed: installedFor(scripts, outside), warnings: outsideWarnings(outside) };
}

function refuseAbsent(absent: readonly Unfound[]): void {
  const [first] = absent;
  if (first === undefined) return;
  const all = absent.slice(0, 10).map(({ path, line, what }) => `${path === first.path ? '' : `${path}, `}line ${line}: ${what}`);
  const more = absent.length > 10 ? `, and ${absent.length - 10} more` : '';
  throw new PackageError(
    'user-data.import-absent',
    `imports what is not there where user data is run: ${all.join('; ')}${more}. Bring it along in the package, do without it, or import it in a try`,
    { member: first.path },
  );
}

/** A warning for each script. */
function outsideWarnings(outside: readonly Unfound[]): PackageWarning[] {
  const paths = [...new Set(outside.map(({ path }) => path))];
  return paths.slice(0, MAX_WARNED).map((path) => {
    const own = outside.filter((each) => each.path === path);
    const all = own.slice(0, 10).map(({ line, what }) => `line ${line}: ${what}`);
    const more = own.length > 10 ? `, and ${own.length - 10} more` : '';
    return {
      code: 'user-data.import-outside',
      subject: path,
      reason: `imports what neither the package nor Windlass brings: ${all.join('; ')}${more}. A request that names the script is refused unless it is installed for USER_DATA_PYTHON where the infra driver runs; bring it along in the package, or import it in a try`,
    };
  });
}

/** What must be installed for a script: what it imports itself, and what the scripts do that it imports. */
function installedFor(scripts: readonly Script[], outside: readonly Unfound[]): Record<string, string[]> {
  const importers = importersOf(scripts);
  const found = new Map<string, Set<string>>();
  for (const script of scripts) {
    const wanted = outside.filter(({ path }) => path === script.path).map(({ what }) => what);
    if (wanted.length === 0) continue;
    const reached = new Set([script]);
    for (const each of reached) {
      const known = found.get(each.path) ?? new Set();
      for (const what of wanted) if (known.size < MAX_INSTALLED) known.add(what);
      found.set(each.path, known);
      for (const importer of importers.get(each) ?? []) reached.add(importer);
    }
  }
  return Object.fromEntries([...found].map(([path, modules]) => [path, [...modules].toSorted()]));
}

const isUserData = (path: string): boolean => path.startsWith('UserData/');

/** Whether there is anything that a request could name. */
export const hasScripts = (csar: Csar): boolean => csar.members.some(({ name }) => SCRIPT.test(name));

async function scriptsOf(csar: Csar, signal: AbortSignal | undefined): Promise<Script[]> {
  const scripts: Script[] = [];
  let total = 0;
  for (const { name: path, size } of csar.members) {
    if (!SCRIPT.test(path) || size > MAX_BYTES || scripts.length >= MAX_FILES || total + size > MAX_TOTAL) continue;
    total += size;
    const text = (await csar.readMember(path, MAX_BYTES, signal)).toString('utf8');
    const isPython = path.endsWith('.py');
    const [imports, modules] = [isPython ? importsIn(path, text) : [], isPython ? [] : await modulesIn(path, text)];
    scripts.push({ path, text, imports, modules });
  }
  return scripts;
}

/** A file that is no user data is nobody's to refuse: it may be for another Python, and is not run. */
function importsIn(path: string, text: string): PythonImport[] {
  const read = pythonLines(text);
  if ('lines' in read) return importsOf(read.lines);
  if (!isUserData(path)) return [];
  throw new PackageError('user-data.malformed', `line ${read.number}: ${read.fault}: this is no Python`, { member: path });
}

/** As {@link importsIn}. A `.js` may be a module or not, as Node has it. */
async function modulesIn(path: string, text: string): Promise<ModuleImport[]> {
  if (!isUserData(path)) return [];
  const read = await moduleImports(text, path.endsWith('.mjs'));
  if ('imports' in read) return read.imports;
  throw new PackageError('user-data.malformed', `line ${read.number}: ${read.fault}: this is no JavaScript`, { member: path });
}

/** What of an import is not there. */
function faultsOf(
  modules: ReadonlySet<string>,
  path: string,
  { module, level, names }: PythonImport,
): Pick<Unfound, 'what' | 'installable'>[] {
  const absent = (all: readonly string[]) => all.map((what) => ({ what, installable: false }));
  if (level > 0) {
    const from = Array.from({ length: level - 1 }).reduce<string>((folder) => dirname(folder), dirname(path));
    const base = from === '.' ? '' : `${from}/`;
    if (module !== '')
      return isOwn(modules, base, module) ? [] : absent([`${'.'.repeat(level)}${module}, which the package has not beside it`]);
    const init = modules.has(`${base}__init__`);
    return absent(
      (names ?? [])
        .filter((name) => name !== '*' && !init && !isOwn(modules, base, name))
        .map((name) => `${name} from ${'.'.repeat(level)}, which the package has not beside it`),
    );
  }
  const [top = ''] = module.split('.');
  if (Object.hasOwn(BROUGHT, top)) return absent(faultsOfBrought(module, names));
  if (PYTHON_LIBRARY.has(top) || isOwn(modules, `${dirname(path)}/`, module) || isOwn(modules, '', module)) return [];
  return [{ what: module, installable: !REFERENCE.test(module) && MODULE.test(module) }];
}

/** Windlass's modules go before a package's of the same name. */
function faultsOfBrought(module: string, names: readonly string[] | undefined): string[] {
  if (module.startsWith('yaml.')) return [];
  const has = Object.hasOwn(BROUGHT, module) ? BROUGHT[module] : undefined;
  if (has === undefined) return [module];
  if (has === null) return [];
  return (names ?? []).filter((name) => name !== '*' && !has.includes(name)).map((name) => `${name} from ${module}`);
}

/** Paths without `.py`, and folders that have such files. */
function modulesOf(csar: Csar): Set<string> {
  const modules = new Set<string>();
  for (const { name } of csar.members) {
    if (!name.endsWith('.py')) continue;
    modules.add(name.slice(0, -3));
    for (let folder = dirname(name); folder !== '.' && !modules.has(folder); folder = dirname(folder)) modules.add(folder);
  }
  return modules;
}

/** Whether the package has a file or a folder of that dotted name below a folder. */
const isOwn = (modules: ReadonlySet<string>, folder: string, module: string): boolean =>
  modules.has(`${folder}${module.replaceAll('.', '/')}`);

/** Scripts that have the method in their own text, or are derived from a class of ours that has it; and those that import such a script. */
function reconnecting(scripts: readonly Script[]): string[] {
  const importers = importersOf(scripts);
  const open = scripts.filter(({ path, text }) => RECONNECTS.test(text) || (path.endsWith('.py') && WITH_METHOD.test(text)));
  const found = new Set<Script>();
  for (const script of open) {
    if (found.has(script)) continue;
    found.add(script);
    open.push(...(importers.get(script) ?? []));
  }
  return [...found].map(({ path }) => path);
}

/** Who may import a script: in Python by its file's name, of two of one name either; in JavaScript whoever lies beside it. */
function importersOf(scripts: readonly Script[]): Map<Script, Script[]> {
  const byName = new Map<string, Script[]>();
  const keyed = (key: string, script: Script): void => {
    const known = byName.get(key);
    if (known === undefined) byName.set(key, [script]);
    else known.push(script);
  };
  for (const script of scripts) {
    if (!script.path.endsWith('.py')) keyed(`${dirname(script.path)}/`, script);
    else for (const name of new Set(script.imports.flatMap(namesIn))) keyed(name, script);
  }
  const own = ({ path }: Script): string => (path.endsWith('.py') ? path.replace(/^.*\//, '').slice(0, -3) : `${dirname(path)}/`);
  return new Map(scripts.map((script) => [script, byName.get(own(script)) ?? []]));
}

const namesIn = ({ module, names = [] }: PythonImport): string[] => [...module.split('.'), ...names];
