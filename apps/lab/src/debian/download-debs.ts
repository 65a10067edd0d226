import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { minutes } from '@windlass/foundation';
import { aptProxyEnvironment, type DebianMirror } from './apt-sources.js';
import { removeFolder } from './cache.js';
import { run } from './command.js';

/** Fetches packages by name, without what they depend on, with lists and cache of its own: the machine's apt stays as it is. */
export async function downloadDebs(
  pool: string,
  workspace: string,
  suite: string,
  names: readonly string[],
  mirror: DebianMirror,
): Promise<void> {
  for (const name of ['lists/partial', 'cache/archives/partial', 'got'])
    await mkdir(path.join(workspace, name), { recursive: true });
  const trust = mirror.trusted ? 'trusted=yes' : `signed-by=${mirror.keyring}`;
  await writeFile(path.join(workspace, 'sources.list'), `deb [${trust}] ${mirror.uri} ${suite} main\n`);
  await writeFile(path.join(workspace, 'status'), '');
  const settings = {
    'Dir::Etc::sourcelist': path.join(workspace, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State::lists': path.join(workspace, 'lists'),
    'Dir::State::status': path.join(workspace, 'status'),
    'Dir::Cache': path.join(workspace, 'cache'),
    'Debug::NoLocking': '1',
    'APT::Sandbox::User': 'root',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const running = { env: await aptProxyEnvironment(), cwd: path.join(workspace, 'got'), within: minutes(20) };
  await run('apt-get', [...options, 'update'], running);
  await run('apt-get', [...options, 'download', ...names], running);
  for (const file of await readdir(path.join(workspace, 'got')))
    await rename(path.join(workspace, 'got', file), path.join(pool, file));
  await removeFolder(workspace);
}
