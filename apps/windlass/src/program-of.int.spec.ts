import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const HOME = join(import.meta.dirname, '../../..');

/** Tells each module that is loaded, by `import` and by `require`, on standard error. */
const TOLD = `data:text/javascript,${encodeURIComponent(`
import { createRequire, register } from 'node:module';
import { writeSync } from 'node:fs';
register('data:text/javascript,' + encodeURIComponent("import { writeSync } from 'node:fs'; export async function load(url, context, next) { writeSync(2, 'LOADED ' + url + '\\\\n'); return next(url, context); }"));
const { cache } = createRequire(${JSON.stringify(`${HOME}/`)});
process.on('exit', () => { for (const file of Object.keys(cache)) writeSync(2, 'LOADED ' + file + '\\n'); });
`)}`;

/** Doors of their own, which hold words alone: of what options may say, without what is done with it. */
const WORDS =
  /\/(libs\/service-kit\/dist\/(plain|access\/roles|config\/(readers|tls-files))|libs\/driver-kit\/dist\/exec\/languages|apps\/lab\/dist\/hosts\/variants|libs\/sol003\/dist\/operations\/.*)\.js$/;

/** Packages that a command loads, and how many files of ours. */
function loadedBy(...words: string[]): { packages: string[]; own: number; parts: string[]; files: string[] } {
  const call = ['--import', TOLD, join(HOME, 'apps/workbench/dist/main.js'), ...words];
  const { stderr } = spawnSync(process.execPath, call, { encoding: 'utf8', env: { PATH: process.env.PATH } });
  const files = stderr.split('\n').flatMap((line) => (line.startsWith('LOADED ') ? [line.slice('LOADED '.length)] : []));
  const packages = files.flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  const own = files
    .filter((file) => !WORDS.test(file))
    .flatMap((file) => /\/(apps|libs)\/([^/]+)\/dist\//.exec(file)?.slice(1).join('/') ?? []);
  return { packages: [...new Set(packages)], own: own.length, parts: [...new Set(own)], files };
}

describe('a call of the command line loads what it uses', () => {
  it.each([
    [['vnf', 'list']],
    [['package', 'list']],
    [['op', 'list']],
    [['vim', 'list']],
    [['subsc', 'list']],
    [['driver', 'list']],
    [['driver', 'remove', 'x']],
  ])('%j: the client of the API, and no service, no framework and no database', (words) => {
    const { packages, own, parts } = loadedBy(...words, '--data', '/nowhere');
    expect(packages).toEqual(expect.arrayContaining(['axios', 'commander']));
    expect(
      packages.filter((name) => /nestjs|typeorm|^pg$|class-validator|ssh2|nats|ajv|yaml|rxjs|log-update/.test(name)),
    ).toEqual([]);
    expect(parts.sort()).toEqual(['apps/windlass', 'apps/workbench', 'libs/foundation']);
    expect(own).toBeLessThan(80);
  });
});

describe('a help, and a command that there is not', () => {
  it.each([[['--help']], [['up', '--help']], [['bench', '--help']], [['restore', '--help']], [['help', 'driver']], [['vnff']]])(
    '%j: the commands as they are declared, and nothing of what they do',
    (words) => {
      const { packages, parts, files } = loadedBy(...words);
      // The last two are of libs/foundation.
      expect(packages.sort()).toEqual(['commander', 'jsonc-parser', 're2js']);
      expect(parts.sort()).toEqual(['apps/windlass', 'apps/workbench', 'libs/foundation']);
      expect(
        files.filter((file) => /\/dist\/(deployment\/deployment|bench|defaults|lab\/lab\.js|test\/run-jobs)/.test(file)),
      ).toEqual([]);
    },
  );
});
