import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const HOME = join(import.meta.dirname, '../..');

/** `import … from 'x'`, `export … from 'x'` and `import 'x'` as the compiler writes them; what is imported where it is needed (`await import`) is none. */
const IMPORT = /^(?:import|export)\s(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;

/** The file of a project's entry point, by its `exports`. */
function entryOf(specifier: string): string | undefined {
  const [, project = '', path] = /^@windlass\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (project === '') return undefined;
  const folder = ['libs', 'apps'].map((kind) => join(HOME, kind, project)).find((one) => existsSync(one)) ?? '';
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: Record<string, { default: string }>;
  };
  return join(folder, exports[path === undefined ? '.' : `./${path}`]?.default ?? '');
}

/** A third party's package, or a project of ours by its folder. */
const nameOf = (specifier: string, path: string): string =>
  path === '' ? specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/') : path.split('/', 2).join('/');

/** Doors of their own, each of a file or two: names without the standard's types and checks, arithmetic without the client of an OpenStack. */
const SMALL_DOORS = ['libs/sol003/dist/operations/', 'libs/openstack/dist/check/address-ranges.js'];

/** What a built program loads at its start: third parties' packages, and projects of ours, each with the file that imports it first. */
function loadedBy(program: string): Map<string, string> {
  const files = [join(HOME, program)];
  const seen = new Set(files);
  const loaded = new Map<string, string>();
  for (const file of files)
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      if (specifier.startsWith('node:')) continue;
      const next = specifier.startsWith('.') ? join(dirname(file), specifier) : entryOf(specifier);
      const path = next === undefined ? '' : relative(HOME, next);
      const name = SMALL_DOORS.find((door) => path.startsWith(door)) ?? nameOf(specifier, path);
      if (!loaded.has(name)) loaded.set(name, relative(HOME, file));
      if (next === undefined || seen.has(next)) continue;
      seen.add(next);
      files.push(next);
    }
  return loaded;
}

/** What shows, tests or starts the product, and what only a command needs. */
const NOBODY = ['commander', 'log-update', 'apps/windlass', 'apps/workbench', 'apps/lab', 'libs/embedded'];
const DATABASE = ['typeorm', 'pg', 'libs/persistence'];
const REST = ['express', 'jose', '@nestjs/platform-express'];
const SSH = ['ssh2', 'ssh2-sftp-client', 'libs/remote-host'];
const OPENSTACK = ['axios', 'libs/openstack'];
/** Zips, YAML and descriptors of packages. */
const PACKAGES = ['yaml', 'yauzl', 'yazl', 'libs/vnf-package'];
const LIFECYCLE = ['libs/lifecycle', 'libs/user-data'];

/** What a service must not load at its start. What it needs for a request alone is imported there. */
const NOT_LOADED: Readonly<Record<string, readonly string[]>> = {
  'saga-coordinator': [...REST, ...SSH, ...OPENSTACK],
  'vim-registry': [...REST, ...SSH],
  'lcm-api': [...SSH, ...OPENSTACK, 'jose'],
  'infra-driver': [...DATABASE, ...REST, ...SSH],
  'k8s-mgmt': [...DATABASE, ...REST, ...OPENSTACK, ...LIFECYCLE],
  'storage-mgmt': [...DATABASE, ...REST, ...OPENSTACK, ...LIFECYCLE, ...PACKAGES, 'libs/sol003'],
  'registry-mgmt': [...DATABASE, ...REST, ...OPENSTACK, ...LIFECYCLE, ...PACKAGES, 'libs/sol003'],
};

describe('a service that loads what it does not use', () => {
  it.each(Object.entries(NOT_LOADED))('%s has none of it', (service, forbidden) => {
    const loaded = loadedBy(`apps/${service}/dist/main.js`);
    expect([...loaded.keys()]).toEqual(expect.arrayContaining(['libs/service-kit', '@nestjs/core', 'pino']));
    const needless = [...NOBODY, 'acorn', ...forbidden].filter((name) => loaded.has(name));
    expect(needless.map((name) => `${name}, imported by ${loaded.get(name) ?? ''}`)).toEqual([]);
  });

  it('is found: the one process of all services has each of these', () => {
    const loaded = loadedBy('apps/windlass/dist/deployment/one-process.js');
    for (const name of [...DATABASE, 'express', ...SSH, ...OPENSTACK, ...PACKAGES, ...LIFECYCLE])
      expect([...loaded.keys()]).toContain(name);
  });

  it.each(['apps/windlass/dist/up.js', 'apps/workbench/dist/up-with-lab.js'])(
    '%s has no lab before one is asked for',
    (program) => {
      expect([...loadedBy(program).keys()].filter((name) => name === 'apps/lab' || name === 'libs/openstack')).toEqual([]);
    },
  );
});
