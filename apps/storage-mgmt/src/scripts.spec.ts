import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import * as client from './client/scripts.js';
import * as server from './server/scripts.js';

describe('scripts that run on machines', () => {
  it.each(Object.entries({ ...client, ...server }))('shellcheck has nothing to say about %s', (_name, text) => {
    const { error, status, stdout } = spawnSync('shellcheck', ['--shell=bash', '--severity=style', '-'], {
      input: text,
      encoding: 'utf8',
    });
    if (error !== undefined) throw new Error('shellcheck is missing: ./windlass test installs it', { cause: error });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });
});
