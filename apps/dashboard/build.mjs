// Builds the dashboard: types of the API from our own OpenAPI document, then one script and one style sheet, named after their content, with a manifest.
// `./windlass` calls it; by hand: node apps/dashboard/build.mjs
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip as gzipped } from 'node:zlib';
import { build } from 'esbuild';
import { typesOf } from './types-of-openapi.mjs';

const gzip = promisify(gzipped);
const here = import.meta.dirname;
const dist = join(here, 'dist');

const document = JSON.parse(await readFile(join(here, '../../docs/contracts/openapi.json'), 'utf8'));
await mkdir(dist, { recursive: true });
await writeFile(join(dist, 'openapi.d.ts'), typesOf(document));

// Beside what may be served now, and in its place when it is whole.
const made = join(dist, `ui.${process.pid}`);
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ['src/main.tsx', 'src/style.css'],
  outdir: made,
  entryNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  format: 'esm',
  // What it has in common with the command line is built of its source: pure functions alone (eslint.config.mjs).
  conditions: ['@windlass/source'],
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});
const files = Object.keys(metafile.outputs).map((path) => basename(path));
const named = (ending) => files.find((name) => name.endsWith(ending));
// Packed once, here: whoever takes gzip is sent it, and a third of the bytes.
const packed = await Promise.all(
  files.map(async (name) => {
    await writeFile(join(made, `${name}.gz`), await gzip(await readFile(join(made, name)), { level: 9 }));
    return `${name}.gz`;
  }),
);
const manifest = { script: named('.js'), styles: named('.css'), files: [...files, ...packed] };
await writeFile(join(made, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
await rm(join(dist, 'ui'), { recursive: true, force: true });
await rename(made, join(dist, 'ui'));
