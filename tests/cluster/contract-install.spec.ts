import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('shellcheck has nothing to say about the packaged script that clusters of the lab are made with', () => {
  const script = join(import.meta.dirname, 'contract-install.sh');
  const { error, status, stdout } = spawnSync('shellcheck', ['--severity=style', script], { encoding: 'utf8' });
  if (error !== undefined) throw new Error('shellcheck is missing: ./windlass test installs it', { cause: error });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});
