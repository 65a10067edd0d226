// Takes from a built checkout what nothing in the image loads: node slim.mjs FOLDER. Services, the command line and what they start are in the few files that
// apps/windlass/build-services.mjs made (ADR 113). Of our own code those stay, of npm's packages those that are loaded as they are, with what they need; of every
// other package its name, its version and its licence. What is no code (schemas, types, templates, the dashboard) stays.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const home = resolve(process.argv[2]);
const PROGRAMS = 'apps/windlass/dist/services';
/** Code of ours in few files: the programs, and the dashboard, which browsers load. */
const IN_FEW_FILES = [PROGRAMS, 'apps/dashboard/dist/ui'];
/** What is started by its old path, and the program in few files that is loaded there. `build-services.mjs` is told of them by the Dockerfile. */
const STARTED = {
  'apps/windlass/dist/main.js': 'command-line.js',
  'apps/lcm-api/dist/packages/reading/reader-thread.js': 'reader-thread.js',
};
/** Loaded as they are: those that build-services.mjs leaves out, but for PostgreSQL's binaries; those that our code asks for by `createRequire`; and `pg`, which TypeORM asks for by a name that no bundler sees. */
const PACKAGES = ['axios', 'pg', 'reflect-metadata', 'ssh2', 'swagger-ui-dist'];
/** The health check loads it by itself. */
const OF_THE_HEALTH_CHECK = 'libs/service-kit/dist/health/listening-address.js';
const KEPT = /^(licen[cs]e|notice|copying|copyright)/i;
const NOT_LOADED = /\.(map|[cm]?ts|tsx|flow|markdown|md)$|^swagger-ui-es-bundle.*|^tsconfig.*\.json$/;
let bytes = 0;

const remove = (path) => {
  bytes += statSync(path).size;
  rmSync(path);
};

/** Every file below a folder, links left out. */
const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => ({ name: entry.name, path: join(entry.parentPath, entry.name) }));

/** The folders of packages in a `node_modules`, and of those in theirs. */
function packagesIn(modules) {
  if (!existsSync(modules)) return [];
  return readdirSync(modules, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap(({ name }) =>
      name.startsWith('@')
        ? packagesIn(join(modules, name))
        : [join(modules, name), ...packagesIn(join(modules, name, 'node_modules'))],
    );
}

/** The folder of a package, as Node finds it from another. */
function found(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const there = join(folder, 'node_modules', name);
    if (existsSync(join(there, 'package.json'))) return there;
    if (folder === home) return undefined;
  }
}

/** A package and all that it needs; what is optional may be missing. */
function withNeeds(name, from, into) {
  const folder = found(name, from);
  if (folder === undefined || into.has(folder)) return;
  into.add(folder);
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  for (const need of Object.keys({ ...dependencies, ...optionalDependencies })) withNeeds(need, folder, into);
}

for (const [path, program] of Object.entries(STARTED)) {
  const place = relative(dirname(path), join(PROGRAMS, program));
  if (!existsSync(join(home, PROGRAMS, program)))
    throw new Error(`${PROGRAMS}/${program} is not there: build-services.mjs was not told of it`);
  writeFileSync(join(home, path), `import '${place.startsWith('.') ? place : `./${place}`}';\n`);
}
const ownKept = new Set([...Object.keys(STARTED), OF_THE_HEALTH_CHECK].map((path) => join(home, path)));
for (const { name, path } of ['apps', 'libs'].flatMap((folder) => filesBelow(join(home, folder))))
  if (
    /\.js(\.map)?$/.test(name) &&
    path.includes('/dist/') &&
    !ownKept.has(path) &&
    !IN_FEW_FILES.some((folder) => path.startsWith(join(home, folder, '/')))
  )
    remove(path);

const modules = join(home, 'node_modules');
const loaded = new Set();
for (const name of PACKAGES) withNeeds(name, home, loaded);
for (const name of PACKAGES) if (!loaded.has(join(modules, name))) throw new Error(`${name} is not in ${modules}`);
for (const folder of packagesIn(modules)) {
  const own = (path) => !path.slice(folder.length).includes('/node_modules/');
  for (const { name, path } of filesBelow(folder).filter(({ path }) => own(path))) {
    const named = KEPT.test(name) || path === join(folder, 'package.json');
    if (!named && (!loaded.has(folder) || NOT_LOADED.test(name))) remove(path);
  }
}
console.log(`${(bytes / 1e6).toFixed(1)} MB that nothing loads were taken from ${home}`);
