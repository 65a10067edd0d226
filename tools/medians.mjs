// Writes tests/medians.json, the seconds that each test file takes: medians of the runs whose folders of results are named.
//
//   node tools/medians.mjs test-results /var/tmp/another-clone/test-results
//
// A file that none of the runs has keeps the median that it had; one that is no more in the repository is left out.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TABLE = join(import.meta.dirname, '../tests/medians.json');
const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error('usage: node tools/medians.mjs RESULTS..., folders that `./windlass test --all` wrote (test-results)');
  process.exit(64);
}

const seen = new Map();
for (const folder of folders)
  for (const name of readdirSync(folder).filter((name) => /^[a-z0-9-]+\.files\.json$/.test(name)))
    for (const { file, took } of JSON.parse(readFileSync(join(folder, name), 'utf8')))
      seen.set(file, [...(seen.get(file) ?? []), took / 1_000]);

const medianOf = (all) => {
  const sorted = [...all].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

const known = existsSync(TABLE) ? JSON.parse(readFileSync(TABLE, 'utf8')) : {};
for (const [file, all] of seen) known[file] = Number(medianOf(all).toFixed(1));
const there = Object.entries(known).filter(([file]) => existsSync(join(import.meta.dirname, '..', file)));
there.sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(TABLE, `${JSON.stringify(Object.fromEntries(there), null, 2)}\n`);
console.log(`${there.length} files, ${seen.size} of them measured in ${folders.length} runs`);
