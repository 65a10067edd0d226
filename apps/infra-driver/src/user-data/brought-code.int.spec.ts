import { seconds } from '@windlass/foundation';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { interpreterOf } from './interpreters.js';
import { runInSandbox } from './sandbox.js';
import { js, MODULE, python, run } from './testing/script-world.js';

/** The machine's loader, a small program and a small library: what a package of this machine's architecture could bring. */
const LOADER = realpathSync(process.arch === 'x64' ? '/lib64/ld-linux-x86-64.so.2' : '/lib/ld-linux-aarch64.so.1');
const PROGRAM = readFileSync('/bin/true');
const libraries = readdirSync('/usr/lib').find((name) => name.endsWith('-linux-gnu')) ?? '';
const LIBRARY = readFileSync(join('/usr/lib', libraries, 'libutil.so.1'));
const more = { 'UserData/true': PROGRAM, 'UserData/brought.so': LIBRARY, 'UserData/brought.node': LIBRARY };

describe('a program that a package brings', () => {
  const REFUSED = /PermissionError: .*Operation not permitted/;
  test.each([
    ['by the loader', `os.execv("${LOADER}", ["ld.so", "/package/UserData/true"])`],
    [
      'by the loader, from the scratch folder',
      `open("/tmp/true", "wb").write(open("/package/UserData/true", "rb").read())\nos.execv("${LOADER}", ["ld.so", "/tmp/true"])`,
    ],
    ['by its number', `os.execve(os.open("${LOADER}", os.O_RDONLY), ["ld.so", "/package/UserData/true"], {})`],
    ['in the place of the interpreter', 'os.execv("/usr/bin/prlimit", ["prlimit", "--version"])'],
    ['as the interpreter again', 'os.execv(sys.executable, [sys.executable, "-c", "pass"])'],
    ['beside it', `import _posixsubprocess, subprocess\nsubprocess.run(["${LOADER}", "/package/UserData/true"])`],
    ['by posix_spawn', `os.posix_spawn("${LOADER}", ["ld.so", "/package/UserData/true"], {})`],
  ])('is not run, %s, by Python', async (_, body) => {
    await expect(run({ text: python(body), more })).rejects.toThrow(REFUSED);
  });

  test.each([
    ['as a library', 'import ctypes\nctypes.CDLL("/package/UserData/brought.so")', /OSError: .*failed to map segment/],
    [
      'as a library that it wrote',
      'import ctypes\nopen("/tmp/x.so", "wb").write(open("/package/UserData/brought.so", "rb").read())\nctypes.CDLL("/tmp/x.so")',
      /OSError: .*failed to map segment/,
    ],
    [
      'as a module of Python',
      'import importlib.machinery as m, importlib.util as u\nu.module_from_spec(u.spec_from_file_location("brought", loader=m.ExtensionFileLoader("brought", "/package/UserData/brought.so")))',
      /ImportError: .*failed to map segment/,
    ],
    [
      'as memory',
      'import mmap\nmmap.mmap(os.open("/package/UserData/true", os.O_RDONLY), 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC, flags=mmap.MAP_PRIVATE)',
      /PermissionError/,
    ],
  ])('is not loaded, %s, by Python', async (_, body, error) => {
    await expect(run({ text: python(body), more })).rejects.toThrow(error);
  });

  // What Python and Node forbid themselves is not all that stands between: here the loader is the first program.
  test.each([
    ['is not mapped by the loader', '/package/true', 127, /failed to map segment/],
    ["is, where it is the machine's", '/usr/bin/prlimit', 0, /^$/],
  ])('%s', async (_, path, exitCode, said) => {
    const { program } = interpreterOf('python', '/usr/bin/python3');
    const end = await runInSandbox({
      project: 'default',
      program: {
        ...program,
        executable: LOADER,
        arguments:
          path === '/package/true' ? [path] : [path, '--nofile=10', LOADER, path, '--nofile=9', LOADER, '--verify', path],
      },
      files: new Map([['/package/true', PROGRAM]]),
      input: '',
      within: seconds(20),
      signal: new AbortController().signal,
    });
    expect(end.said).toMatch(said);
    expect(end.exitCode).toBe(exitCode);
  });

  test.each([
    ["const { spawnSync } = await import('node:child_process'); const { error } = spawnSync('/usr/bin/prlimit'); throw error;"],
    ["const { fork } = await import('node:child_process'); fork('/package/UserData/user-data.mjs');"],
    ["const { Worker } = await import('node:worker_threads'); new Worker('setInterval(() => {}, 1000)', { eval: true });"],
    ["const { WASI } = await import('node:wasi'); new WASI({ version: 'preview1', preopens: { '/': '/' } });"],
    ["const module = { exports: {} }; process.dlopen(module, '/package/UserData/brought.node');"],
    ["const { createRequire } = await import('node:module'); createRequire(import.meta.url)('./brought.node');"],
  ])('is not run by JavaScript: %s', async (body) => {
    await expect(run({ text: js(body), script: MODULE, more })).rejects.toThrow(
      /Access to this API has been restricted|loading addons is disabled/,
    );
  });

  test('is not run in the place of Node, whether this Node has a call for that or not', async () => {
    const body = `process.execve('${LOADER}', ['ld.so', '/package/UserData/true'], {});`;
    await expect(run({ text: js(body), script: MODULE, more })).rejects.toThrow(
      'execve' in process ? /Access to this API has been restricted/ : /process\.execve is not a function/,
    );
  });
});
