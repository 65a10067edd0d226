import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** In the place of npm and of TypeScript's compiler: each says that it ran; the compiler's build is what its one source is. */
const NPM = `#!/bin/sh
echo npm >>ran; mkdir -p node_modules/typescript/bin; cp tsc node_modules/typescript/bin/tsc
`;
const TSC = `
const { appendFileSync, copyFileSync, mkdirSync } = require('node:fs');
appendFileSync('ran', 'tsc\\n');
mkdirSync('apps/workbench/dist', { recursive: true });
copyFileSync('apps/workbench/src/main.js', 'apps/workbench/dist/main.js');
`;
const RAN = (what: string): string => `import { appendFileSync } from 'node:fs';\nappendFileSync('ran', '${what}\\n');\n`;
const SAYS = (what: string): string => `console.log('${what}', ...process.argv.slice(2))\n`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'windlass-launcher-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A checkout with the real script in it. */
function checkout(name: string): {
  write: (path: string, text: string) => void;
  run: (...args: string[]) => string;
  ran: () => string;
} {
  const home = join(folder, name);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text, { mode: 0o755 });
  };
  for (const path of [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.base.json',
    'docs/contracts/openapi.json',
    'libs/a/src/a.ts',
  ])
    write(path, '{}');
  write('tsc', TSC);
  write('apps/dashboard/build.mjs', RAN('dashboard'));
  write('apps/windlass/build-services.mjs', RAN('services'));
  write('bin/npm', NPM);
  write('apps/workbench/src/main.js', SAYS('first'));
  copyFileSync(resolve(import.meta.dirname, '../windlass'), join(home, 'windlass'));
  const env = { ...process.env, PATH: `${home}/bin:${process.env.PATH ?? ''}`, XDG_CACHE_HOME: join(folder, 'cache') };
  return {
    write,
    run: (...args) => execFileSync(join(home, 'windlass'), args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    ran: () => readFileSync(join(home, 'ran'), 'utf8').replaceAll('\n', ' ').trim(),
  };
}
const kept = (): string[] => readdirSync(join(folder, 'cache/windlass/builds'));

describe('./windlass', () => {
  it('installs and builds once, and passes what it was given on', () => {
    const { run, ran } = checkout('one');
    expect(run('vnf', 'heal $ID; x')).toBe('first vnf heal $ID; x\n');
    expect(run()).toBe('first\n');
    expect(ran()).toBe('npm tsc dashboard services');
  });

  it('builds again what changed, and keeps nothing of a build that older files lie beside', () => {
    const { write, run, ran } = checkout('one');
    run();
    write('apps/workbench/src/main.js', SAYS('second'));
    const later = new Date(Date.now() + 2_000);
    utimesSync(join(folder, 'one/apps/workbench/src/main.js'), later, later);
    expect(run()).toBe('second\n');
    expect(ran()).toBe('npm tsc dashboard services tsc dashboard services');
    expect(kept()).toHaveLength(1);
  });

  it('takes the build of the same sources in another clone, and of no others', () => {
    checkout('one').run();
    const same = checkout('two');
    expect(same.run()).toBe('first\n');
    expect(same.ran()).toBe('npm');
    const other = checkout('three');
    other.write('apps/workbench/src/main.js', SAYS('other'));
    expect(other.run()).toBe('other\n');
    expect(other.ran()).toBe('npm tsc dashboard services');
  });

  it('builds where what was kept is damaged', () => {
    checkout('one').run();
    writeFileSync(join(folder, 'cache/windlass/builds', kept()[0] ?? ''), 'damaged');
    const { run, ran } = checkout('two');
    expect(run()).toBe('first\n');
    expect(ran()).toBe('npm tsc dashboard services');
  });

  it('keeps five builds', () => {
    for (let n = 0; n < 7; n += 1) {
      const { write, run } = checkout(`n${n}`);
      write('apps/workbench/src/main.js', SAYS(String(n)));
      run();
    }
    expect(kept()).toHaveLength(5);
  });
});
