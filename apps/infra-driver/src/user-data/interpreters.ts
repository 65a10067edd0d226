import { TerminalError } from '@windlass/foundation';
import type { ScriptLanguage } from '@windlass/user-data';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PYTHON_SEAL } from './python-seal.js';
import type { Program } from './sandbox-arguments.js';
import { noExecFilter } from './system-calls.js';

const ASSETS = fileURLToPath(new URL('../../assets/user-data/', import.meta.url));
/** Where a run finds what Windlass brings along. */
const HERE = '/windlass';
const MIB = 1024 * 1024;

/** Programs that run scripts, and the files that stand beside a script. */
export interface Interpreter {
  program: Program;
  files: ReadonlyMap<string, Buffer>;
}

/** @throws TerminalError `user-data.no-python` where there is no interpreter at that path */
export const interpreterOf = (language: ScriptLanguage, python: string): Interpreter =>
  language === 'python' ? pythonAt(python) : node();

/** Python in isolation: without the user's folders and environment. The process can make no other process and no thread. */
function pythonAt(path: string): Interpreter {
  return {
    program: {
      executable: realPath(path),
      libraries: ownLibraries(realPath(path)),
      arguments: ['-I', '-B', '-X', 'utf8', `${HERE}/windlass_seal.py`],
      environment: {},
      memory: { bytes: 512 * MIB, of: 'address-space' },
      tasks: 2,
    },
    files: new Map([
      ...filesOf('python'),
      [`${HERE}/windlass_seal.py`, Buffer.from(PYTHON_SEAL)],
      [`${HERE}/no-exec.bpf`, noExecFilter() ?? Buffer.alloc(0)],
    ]),
  };
}

/**
 * Node's permission option: no program, thread, addon or WASI is started, and the process can't replace itself by another program. The option's name
 * changed in 22.13.
 */
const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';

/** Node reserves address space by the gigabyte, so what it may write to is limited; it needs a few threads of its own. */
function node(): Interpreter {
  const executable = realpathSync(process.execPath);
  return {
    program: {
      executable,
      libraries: [],
      arguments: [
        ...['--max-old-space-size=256', '--v8-pool-size=1', '--no-addons', '--no-warnings'],
        // What it may read and write is decided by the sandbox's root, whose errors name the file.
        ...[PERMISSION, '--allow-fs-read=*', '--allow-fs-write=*'],
        `${HERE}/windlass-run.mjs`,
      ],
      environment: { UV_THREADPOOL_SIZE: '1' },
      memory: { bytes: 768 * MIB, of: 'data' },
      tasks: 16,
    },
    files: filesOf('javascript'),
  };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    throw new TerminalError(
      'user-data.no-python',
      `there is no ${path}, which the package's script needs: install the package python3 (and python3-yaml) where the infra driver runs, or set USER_DATA_PYTHON`,
    );
  }
}

/** Of a Python that is not the system's: its library lies beside its `bin`. */
function ownLibraries(executable: string): string[] {
  const prefix = dirname(dirname(executable));
  return prefix === '/usr' || prefix === '/' ? [] : [join(prefix, 'lib')];
}

const read = new Map<string, ReadonlyMap<string, Buffer>>();

function filesOf(folder: string): ReadonlyMap<string, Buffer> {
  const known = read.get(folder);
  if (known !== undefined) return known;
  const root = join(ASSETS, folder);
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && /\.(py|mjs)$/.test(entry.name),
  );
  const files = new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [`${HERE}/${relative(root, path)}`, readFileSync(path)];
    }),
  );
  read.set(folder, files);
  return files;
}
