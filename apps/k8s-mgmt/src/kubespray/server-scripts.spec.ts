import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import * as scripts from './server-scripts.js';

const shell = Object.entries(scripts).filter(([, text]) => typeof text === 'string' && text.includes('set -'));

it.each(shell)('shellcheck has nothing to say about %s, which runs on an operator’s server', (_name, text) => {
  const { status, stdout } = spawnSync('shellcheck', ['--shell=bash', '--severity=style', '-'], {
    input: text,
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});
