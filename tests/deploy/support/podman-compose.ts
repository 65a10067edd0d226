import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PodmanStore } from './podman-store.js';

/** The versions that were tried, by their hashes at PyPI: Debian's podman-compose has another minor version. */
const REQUIREMENTS = `podman-compose==1.6.0 --hash=sha256:98e48af25d44c10ecef948163bfcca002e32aa8bbb7e66593fbd4faff7270c30
python-dotenv==1.2.4 --hash=sha256:42269a8a5b3fd54ffa6f3d84b18abed50064717576b4ecf03dc4a55d8aa04fdc
`;

/** Debian's Python, with PyYAML: it comes with Debian's ansible-core, which tests need, too. */
const PYTHON = '/usr/bin/python3';

/** The command of PyPI's podman-compose, which is fetched once into the store's folder. Needs Debian's python3-pip. */
export async function podmanCompose(store: PodmanStore): Promise<{ command: string[]; env: NodeJS.ProcessEnv }> {
  const folder = join(store.folder, 'podman-compose-1.6.0');
  const env = { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
  const command = [PYTHON, '-m', 'podman_compose', '--podman-path', join(import.meta.dirname, 'bin/podman-waits.sh')];
  const there = await store.run(PYTHON, ['-c', 'import podman_compose, dotenv, yaml'], { env }).then(
    () => true,
    () => false,
  );
  if (!there) {
    await mkdir(folder, { recursive: true });
    const requirements = join(folder, 'requirements.txt');
    await writeFile(requirements, REQUIREMENTS);
    const pip = [
      '-m',
      'pip',
      '--disable-pip-version-check',
      '--quiet',
      'install',
      '--require-hashes',
      '--no-deps',
      '--only-binary=:all:',
    ];
    await store.run(PYTHON, [...pip, '--target', folder, '--upgrade', '-r', requirements]);
  }
  return { command, env };
}
