import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LOOK_AT_SERVER, RUN_ANSIBLE } from './server-scripts.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'windlass-home-'));
  mkdirSync(join(home, 'kubespray'));
});
afterEach(() => rmSync(home, { recursive: true }));

/** Two programs of a virtual environment, which say where they lie. */
function environment(folder: string): string {
  const bin = join(home, folder, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const name of ['ansible', 'ansible-playbook']) {
    writeFileSync(join(bin, name), `#!/bin/bash\necho "${bin}/${name}"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

const ran = (script: string, ...words: string[]): string =>
  spawnSync('/bin/bash', ['-s', join(home, 'kubespray'), ...words], {
    input: script,
    encoding: 'utf8',
    env: { ...process.env, HOME: home },
  }).stdout;

it.each([
  ['beside kubespray’s folder, as its documentation has it', 'kubespray-venv'],
  ['beside kubespray’s folder under another usual name', 'venv'],
  ['beside kubespray’s folder, hidden', '.venv'],
  ['in kubespray’s folder', 'kubespray/venv'],
  ['of the user', '.local'],
])('Ansible is found in an environment %s, and run from there', (_where, folder) => {
  const bin = environment(folder);
  expect(ran(LOOK_AT_SERVER).split('\n')).toEqual(
    expect.arrayContaining([`program ansible-playbook ${bin}/ansible-playbook`, `program ansible ${bin}/ansible`]),
  );
  expect(ran(RUN_ANSIBLE, 'ansible-playbook')).toBe(`${bin}/ansible-playbook\n`);
});

it('an environment in kubespray’s folder is taken before one beside it', () => {
  environment('kubespray-venv');
  const bin = environment('kubespray/kubespray-venv');
  expect(ran(RUN_ANSIBLE, 'ansible')).toBe(`${bin}/ansible\n`);
});

// Beside it others may write, as in /tmp.
it.runIf(process.getuid?.() === 0)('an environment beside it that belongs to somebody else is not taken', () => {
  const stranger = environment('kubespray-venv');
  chownSync(stranger, 65_534, 65_534);
  const own = environment('.local');
  expect(ran(RUN_ANSIBLE, 'ansible')).toBe(`${own}/ansible\n`);
});
