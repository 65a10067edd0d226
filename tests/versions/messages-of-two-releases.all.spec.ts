import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Json } from '@windlass/foundation';
import { beforeAll, describe, expect, it } from 'vitest';
import { home } from '../support/deployed.js';
import { namedRelease } from './support/older-release.js';
import { takesLess } from './support/schema-compatibility.js';

const run = promisify(execFile);
const SCHEMAS = 'docs/contracts/schemas';

let commit: string;
let files: string[];

beforeAll(async () => {
  commit = await namedRelease();
  const { stdout } = await run('git', ['-C', home, 'ls-tree', '--name-only', commit, `${SCHEMAS}/`]);
  files = stdout.trim().split('\n');
});

describe('messages of the release before, which runs beside this one while services are replaced', () => {
  it('are each known still, and nothing that they may hold is refused', { timeout: 60_000 }, async () => {
    expect(files.length).toBeGreaterThan(40);
    const found: string[] = [];
    for (const file of files) {
      const { stdout } = await run('git', ['-C', home, 'show', `${commit}:${file}`]);
      const now = await readFile(join(home, file), 'utf8').catch(() => undefined);
      if (now === undefined) found.push(`${file} is gone`);
      else found.push(...takesLess(JSON.parse(stdout) as Json, JSON.parse(now) as Json).map((line) => `${file} ${line}`));
    }
    expect(found).toEqual([]);
  });
});
