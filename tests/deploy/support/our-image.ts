import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes } from '@windlass/foundation';
import type { PodmanStore } from './podman-store.js';

/** The image that docker-compose.yml names. */
const IMAGE = 'windlass:0.1.0';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/**
 * Builds our image from a folder's unchanged Dockerfile. Two mounts give npm in the build this machine's certificates, and leave nothing in the image.
 * Unchanged layers are taken from the store.
 */
export async function ourImage(store: PodmanStore, home: string, revision: string, say: (line: string) => void): Promise<string> {
  const npmrc = join(store.folder, 'conf/npmrc');
  await writeFile(npmrc, `cafile=${CERTIFICATES}\n`);
  const begun = performance.now();
  const bud = (...more: string[]): Promise<string> =>
    store.run(
      'buildah',
      [
        ...['bud', '--layers', '--format', 'docker', '--pull-never', '--file', 'deploy/images/Dockerfile'],
        ...['--volume', `${CERTIFICATES}:${CERTIFICATES}:ro`, '--volume', `${npmrc}:/usr/local/etc/npmrc:ro`],
        ...more,
        '.',
      ],
      { cwd: home, within: minutes(60) },
    );
  // A name keeps the build's layers when images without a name are removed.
  await bud('--target', 'build', '--tag', 'windlass-build');
  await bud('--build-arg', `REVISION=${revision}`, '--tag', IMAGE);
  await store.podman('image', 'prune', '--force');
  const base = /^FROM (node:\S+)/m.exec(await readFile(join(home, 'deploy/images/Dockerfile'), 'utf8'))?.[1] ?? '';
  say(
    `${IMAGE}: ${await store.megabytes(IMAGE)} MB (built in ${Math.round((performance.now() - begun) / 1000)} s; ${base}, in which it is built, has ${await store.megabytes(base)} MB)`,
  );
  return IMAGE;
}
