// Prints which folders of a project import which: `node tools/folder-arrows.mjs libs/lifecycle`, of all projects without an argument.
//
// A folder is one that holds files; `.` is src itself, without its index.ts, which is the door. An arrow is a pair of folders of which one imports
// the other, types included. Tests and the folder `testing` are left out. With `--pairs` it prints the pairs that import each other alone, which
// tests/folders.spec.ts holds against its list.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');

/** All projects that have a folder src. */
export const projects = (base = root) =>
  ['libs', 'apps'].flatMap((kind) =>
    readdirSync(join(base, kind))
      .map((name) => `${kind}/${name}`)
      .filter((project) => existsSync(join(base, project, 'src')))
      .sort(),
  );

const sourcesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return /^(dist|node_modules|testing)$/.test(entry.name) ? [] : sourcesBelow(path);
    return /(?<!\.spec|\.d)\.tsx?$/.test(entry.name) ? [path] : [];
  });

/** The file that a relative import names: with the ending of the compiled file, or without one. */
function resolved(from, specifier) {
  const path = join(dirname(from), specifier);
  const bare = path.replace(/\.jsx?$/, '');
  return [`${bare}.ts`, `${bare}.tsx`, path, join(path, 'index.ts')].find((file) => /\.tsx?$/.test(file) && existsSync(file));
}

/** Each arrow of a project, with the imports that it is made of: `{ from, to, imports: ['a/x.ts -> b/y.ts'] }`. */
export function arrowsOf(project, base = root) {
  const source = join(base, project, 'src');
  const arrows = new Map();
  for (const file of sourcesBelow(source)) {
    const name = relative(source, file);
    if (name === 'index.ts') continue;
    for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles) {
      const target = fileName.startsWith('.') ? resolved(file, fileName) : undefined;
      if (target === undefined) continue;
      const imported = relative(source, target);
      const [from, to] = [dirname(name), dirname(imported)];
      if (from === to || imported.startsWith('..')) continue;
      const key = `${from} -> ${to}`;
      if (!arrows.has(key)) arrows.set(key, { from, to, imports: [] });
      arrows.get(key).imports.push(`${name} -> ${imported}`);
    }
  }
  return [...arrows.values()];
}

/** Pairs of folders that import each other: `a <-> b`, in the order of the alphabet. */
export function mutualPairs(arrows) {
  const keys = new Set(arrows.map(({ from, to }) => `${from} -> ${to}`));
  return arrows
    .filter(({ from, to }) => from < to && keys.has(`${to} -> ${from}`))
    .map(({ from, to }) => `${from} <-> ${to}`)
    .sort();
}

/** Folders from top to bottom, so that few arrows go up: each folder is put where it makes the fewest, until none moves. Not always the very fewest. */
export function floorsOf(arrows) {
  const upIn = (order) => arrows.filter(({ from, to }) => order.indexOf(from) > order.indexOf(to)).length;
  let order = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))].sort();
  for (let best = Infinity, now = upIn(order); now < best;) {
    best = now;
    for (const folder of [...order]) {
      const others = order.filter((each) => each !== folder);
      for (let at = 0; at <= others.length; at++) {
        const tried = [...others.slice(0, at), folder, ...others.slice(at)];
        const ups = upIn(tried);
        if (ups < now) [order, now] = [tried, ups];
      }
    }
  }
  return { order, up: arrows.filter(({ from, to }) => order.indexOf(from) > order.indexOf(to)) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2);
  if (named[0] === '--pairs') {
    for (const project of projects()) for (const pair of mutualPairs(arrowsOf(project))) console.log(`${project}: ${pair}`);
    process.exit(0);
  }
  for (const project of named.length === 0 ? projects() : named) {
    const arrows = arrowsOf(project);
    const pairs = mutualPairs(arrows);
    const { order, up } = floorsOf(arrows);
    console.log(
      `${project}: ${order.length} folders, ${arrows.length} arrows, ${up.length} of them up, ${pairs.length} pairs import each other`,
    );
    if (named.length === 0) continue;
    console.log(`  top to bottom: ${order.join(' · ')}`);
    for (const pair of pairs) console.log(`  ${pair}`);
    for (const { from, to, imports } of up) console.log(`  up: ${from} -> ${to}\n      ${imports.join('\n      ')}`);
  }
}
