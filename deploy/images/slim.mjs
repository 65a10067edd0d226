// Takes from a folder of npm packages what no running service loads: node slim.mjs FOLDER. Licences and notices stay.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
/** Whole folders: copies of the same code for browsers, bundlers and other module systems than the one that Node takes. */
const COPIES = [
  ...['typeorm/browser', 'rxjs/src', 'rxjs/dist/bundles', 'rxjs/dist/esm', 'rxjs/dist/esm5', 'rxjs/dist/types'],
  ...['class-validator/bundles', 'class-validator/esm5', 'class-validator/esm2015', 'class-validator/types'],
  ...['libphonenumber-js/bundle', 'bintrees/test', 'cpu-features/deps', '@types'],
];
const NOT_LOADED =
  /\.(map|[cm]?ts|tsx|flow|markdown|md)$|^swagger-ui-es-bundle.*|^tsconfig.*\.json$|^\.(eslintrc|editorconfig|npmignore|travis\.yml).*/;
const KEPT = /^(licen[cs]e|notice|copying|copyright)/i;
let bytes = 0;

function remove(path) {
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  rmSync(path, { recursive: true });
}

const within = (path) => {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name);
    if (entry.isDirectory()) within(below);
    else if (entry.isFile() && NOT_LOADED.test(entry.name) && !KEPT.test(entry.name)) {
      bytes += statSync(below).size;
      rmSync(below);
    }
  }
};

for (const copy of COPIES) {
  const path = join(folder, copy);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) remove(path);
}
within(folder);
console.log(`${(bytes / 1e6).toFixed(1)} MB that no service loads were taken from ${folder}`);
