import { execFileSync, spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import * as scripts from './scripts.js';

const packaged = readFileSync(new URL('../lab/old-contract-install.sh', import.meta.url), 'utf8');

/** What the test needs it installs; the lock keeps others' apt out of the way. */
function ensureShellcheck(): void {
  if (spawnSync('shellcheck', ['--version']).status === 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('flock', ['/tmp/apt.lock', 'apt-get', 'install', '-y', '--no-install-recommends', 'shellcheck'], {
    env,
    stdio: 'ignore',
  });
}

describe('scripts that run on nodes', () => {
  beforeAll(ensureShellcheck, 300_000);

  it.each(Object.entries({ ...scripts, packaged }))('shellcheck has nothing to say about %s', (_name, text) => {
    const { status, stdout } = spawnSync('shellcheck', ['--shell=bash', '--severity=style', '-'], {
      input: text,
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });
});
