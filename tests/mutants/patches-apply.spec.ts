import { execFile } from 'node:child_process';
import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const home = join(import.meta.dirname, '../..');
const folder = join(home, 'tools/mutants');
const patches = (await readdir(folder)).filter((name) => name.endsWith('.patch'));

describe('a mutant', () => {
  it('is there for each rule that the engine stands on', () => {
    expect(patches.map((name) => name.replace('.patch', '')).sort()).toEqual([
      'epoch-check',
      'graft-guard',
      'look-for-the-old-job',
      'publish-before-commit',
      'row-lock',
    ]);
  });

  it.each(patches)('%s breaks the code as it is today, and names specs that are there', async (name) => {
    const patch = join(folder, name);
    // The patch is checked as tools/mutants/run.sh applies it; git's message names the code that has changed.
    await promisify(execFile)('git', ['apply', '--check', '--recount', '-C1', patch], { cwd: home });
    const [project, ...specs] = (/^spec: (.+)$/m.exec(await readFile(patch, 'utf8'))?.[1] ?? '').split(' ');
    expect(['unit', 'int']).toContain(project);
    // A spec is a file or a folder.
    for (const spec of specs) await access(join(home, spec));
    expect(specs).not.toEqual([]);
  });
});
