import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The folder with a file of requirements for each release, exact and with hashes. */
const REQUIREMENTS = fileURLToPath(new URL('./ansible-core', import.meta.url));

/** The releases of ansible-core under which tests run playbooks. */
export const ANSIBLE_CORES = ['2.14', '2.16', '2.17', '2.18', '2.19'] as const;
export type AnsibleCore = (typeof ANSIBLE_CORES)[number];

/** Debian's Python: a login user may not reach another python3 of the path. */
const PYTHON = '/usr/bin/python3';

export interface AnsibleCoreOptions {
  /** The folder that keeps wheels from run to run. */
  cache?: string;
  /** More environment of pip. */
  env?: NodeJS.ProcessEnv;
}

/**
 * Makes a virtual environment with an ansible-core from PyPI. Wheels are fetched once, and compared with their hashes each time. Needs Debian's python3-pip.
 * @throws Error with pip's message, where PyPI can't be reached or has another file under a name
 */
export async function ansibleCore(release: AnsibleCore, folder: string, options: AnsibleCoreOptions = {}): Promise<void> {
  const root = process.env.WINDLASS_CACHE ?? join(homedir(), '.cache/windlass');
  const { cache = join(root, 'ansible-core', release), env = {} } = options;
  await mkdir(cache, { recursive: true });
  const given = ['--require-hashes', '--only-binary=:all:', '--find-links', cache, '-r', join(REQUIREMENTS, `${release}.txt`)];
  const pip = (...words: string[]) =>
    run(PYTHON, ['-m', 'pip', '--disable-pip-version-check', '--quiet', ...words], {
      env: { ...process.env, PIP_RETRIES: '2', ...env },
    });
  try {
    // Wheels in the cache are not fetched again.
    await pip('download', '--no-index', '--dest', cache, ...given).catch(() => pip('download', '--dest', cache, ...given));
  } catch (error) {
    throw new Error(
      `ansible-core ${release} could not be had from PyPI, and ${cache} does not have all of it: ${wordsOf(error)}. ` +
        `This test needs PyPI once (pip.conf or PIP_INDEX_URL may name a mirror), or that folder of a machine that reached it`,
      { cause: error },
    );
  }
  await run(PYTHON, ['-m', 'venv', '--without-pip', folder]);
  await pip('--python', join(folder, 'bin/python3'), 'install', '--no-index', '--no-warn-script-location', ...given);
}

/** The last message of pip. */
const wordsOf = (error: unknown): string =>
  String((error as { stderr?: string }).stderr || error)
    .trim()
    .split('\n')
    .slice(-2)
    .join(' ');
