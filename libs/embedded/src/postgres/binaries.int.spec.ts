import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOnce } from '../run-once.js';
import { serverUser } from '../server-user.js';
import { testFolder } from '../testing/index.js';
import { postgresBinaries, shipped, type Shipped } from './binaries.js';

const folder = testFolder();
const cacheBefore = process.env.XDG_CACHE_HOME;

/** A copy of the npm package as npm 11 leaves it when it runs no install scripts: without links. */
function withoutLinks(name: string): Shipped {
  const { root, version } = shipped();
  const copy = join(folder.path, name);
  cpSync(root, copy, { recursive: true });
  const links = JSON.parse(readFileSync(join(copy, 'native', 'pg-symlinks.json'), 'utf8')) as { target: string }[];
  for (const { target } of links) rmSync(join(copy, target), { force: true });
  return { root: copy, version };
}

describe('PostgreSQL’s programs', () => {
  beforeAll(() => {
    chmodSync(folder.path, 0o755);
    process.env.XDG_CACHE_HOME = join(folder.path, 'cache');
  });
  afterAll(() => {
    if (cacheBefore === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = cacheBefore;
    folder.remove();
  });

  it('are copied and completed where npm did not make the links', async () => {
    const package_ = withoutLinks('bare');
    const found = await postgresBinaries(serverUser(), package_);
    expect(found.postgres.startsWith(join(folder.path, 'cache', 'windlass'))).toBe(true);
    expect(existsSync(join(found.postgres, '../../lib/libicuuc.so.60'))).toBe(true);
    expect((await runOnce({ file: found.initdb, args: ['--version'], user: serverUser() })).out).toContain('17.');
    expect(existsSync(join(package_.root, 'native/lib/libicuuc.so.60'))).toBe(false);
  });

  it('are copied where the server’s user can’t reach the project', async () => {
    const closed = join(folder.path, 'closed');
    mkdirSync(closed);
    const { root, version } = shipped();
    cpSync(root, join(closed, 'package'), { recursive: true, verbatimSymlinks: true });
    chmodSync(closed, 0o700);
    const found = await postgresBinaries(serverUser(), { root: join(closed, 'package'), version: `${version}-closed` });
    if (process.getuid?.() === 0) expect(found.postgres).toContain(join(folder.path, 'cache', 'windlass'));
    expect((await runOnce({ file: found.postgres, args: ['--version'], user: serverUser() })).out).toContain('17.');
  });
});
