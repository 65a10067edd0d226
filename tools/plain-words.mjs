// Writes libs/foundation/src/plain-words.ts anew: the words of our own messages, guides and samples. `node tools/plain-words.mjs`
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const TARGET = join(root, 'libs/foundation/src/plain-words.ts');
const LINE = 216;

const words = new Set();
const add = (text) => {
  for (const [word] of text.toLowerCase().matchAll(/(?<![a-z])[a-z]{3,20}(?![a-z])|(?<![\w.])\d{4,5}(?![\w.])/g)) words.add(word);
};

/** Names of several words: of drivers, steps, namespaces. In documents they are any text's. */
const addNames = (text) => {
  for (const [name] of text.matchAll(/(?<![\w./-])[a-z][a-z0-9]{1,20}(?:-[a-z0-9]{1,20}){1,4}(?![\w-])/g)) words.add(name);
};

function read(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!/^(dist|node_modules|testing)$/.test(entry.name)) read(path);
    } else if (path !== TARGET && /(?<!\.spec)\.ts$/.test(entry.name)) {
      for (const [text] of readFileSync(path, 'utf8').matchAll(/'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g)) {
        add(text);
        addNames(text);
      }
    } else if (/\.(?:md|ya?ml|json)$/.test(entry.name)) add(readFileSync(path, 'utf8'));
  }
}

for (const folder of ['libs', 'apps', 'samples', 'docs/guides']) read(join(root, folder));

const lines = [''];
for (const word of [...words].sort()) {
  if (lines.at(-1).length + word.length > LINE) lines.push('');
  lines[lines.length - 1] += `${lines.at(-1) === '' ? '' : ' '}${word}`;
}
const head = readFileSync(TARGET, 'utf8').split('const WORDS = `')[0];
writeFileSync(TARGET, `${head}const WORDS = \`\n${lines.join('\n')}\n\`;\n`);
