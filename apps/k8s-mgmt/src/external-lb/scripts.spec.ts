import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../testing/external-lb.js';
import { installed, opened } from './haproxy.js';
import { EXTERNAL_LB_RUNS, INSTALL_EXTERNAL_LB, REMOVE_EXTERNAL_LB, SET_EXTERNAL_LB } from './scripts.js';

const shell = { EXTERNAL_LB_RUNS, INSTALL_EXTERNAL_LB, REMOVE_EXTERNAL_LB, SET_EXTERNAL_LB };

function ends(program: string, args: readonly string[], input?: string) {
  const { status, stdout, stderr } = spawnSync(program, [...args], { input, encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

describe('what lies on an external load balancer', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'windlass-external-lb-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(Object.entries(shell))('shellcheck has nothing to say about %s', (_name, text) => {
    expect(ends('shellcheck', ['--shell=bash', '--severity=style', '-'], text)).toEqual({ status: 0, said: '' });
  });

  it('HAProxy takes its configuration without a warning, with servers that have no port', () => {
    const file = path.join(folder, 'haproxy.cfg');
    writeFileSync(file, opened(installed(undefined, ROUTES), [{ name: 'default_web', ports: [30_080] }]));
    expect(ends('haproxy', ['-c', '-f', file])).toEqual({ status: 0, said: 'Configuration file is valid\n' });
  });
});
