import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { InvariantError } from '@windlass/foundation';
import { run } from '../debian/command.js';
import type { Repository } from '../debian/repository.js';
import { imageOfTree } from './image-content.js';
import type { MadeImages } from './registry.js';

/** What a container of it runs. */
export const REGISTRY_ENTRYPOINT: readonly string[] = ['/usr/bin/docker-registry', 'serve', '/registry.yml'];

const CONFIG = `version: 0.1
storage: { filesystem: { rootdirectory: /var/lib/registry } }
http: { addr: ":5000" }
`;

/**
 * A root in which Debian's docker-registry runs, as a tar archive: the program, and the libraries that it is linked to, which are this machine's.
 * @param deb the package's file
 */
export async function registryTree(deb: string): Promise<Buffer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'windlass-registry-image-'));
  try {
    const root = path.join(folder, 'root');
    await run('dpkg-deb', ['--extract', deb, root]);
    const libraries = await run('ldd', [path.join(root, 'usr/bin/docker-registry')]);
    for (const [, library = ''] of libraries.matchAll(/(\/lib\S+)/g)) {
      await mkdir(path.join(root, path.dirname(library)), { recursive: true });
      await cp(library, path.join(root, library), { dereference: true });
    }
    for (const name of ['tmp', 'var/lib/registry']) await mkdir(path.join(root, name), { recursive: true });
    await writeFile(path.join(root, 'registry.yml'), CONFIG);
    const archive = path.join(folder, 'root.tar');
    await run('tar', ['--create', '--owner=0', '--group=0', '--file', archive, '--directory', root, '.']);
    return await readFile(archive);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Docker Hub's `registry`, which the driver of private registries pulls: it really is one.
 * @param repository the lab's packages
 */
export const madeImages = ({ files }: Repository): MadeImages => ({
  'docker.io/library/registry': async () => {
    const deb = [...files].find(([at]) => /\/docker-registry_[^/]*\.deb$/.test(at))?.[1];
    if (deb === undefined) throw new InvariantError("the lab's package repository has no docker-registry");
    return imageOfTree(await registryTree(deb), { Entrypoint: [...REGISTRY_ENTRYPOINT] });
  },
});
