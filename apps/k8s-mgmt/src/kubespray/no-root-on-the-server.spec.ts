import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PREPARE_FOLDER } from './server-scripts.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'windlass-home-'));
  mkdirSync(join(home, 'kubespray/inventory/sample'), { recursive: true });
  writeFileSync(join(home, 'variables.yml'), '---\n');
});
afterEach(() => rmSync(home, { recursive: true }));

const variables = () => join(home, 'folder/host_vars');

/** The folder of an instance is prepared, as each operation has it done. */
function prepare(): void {
  const words = [join(home, 'folder'), join(home, 'kubespray'), 'instance', 'k8s_cluster', '', join(home, 'variables.yml')];
  execFileSync('/bin/bash', ['-s', ...words], { input: PREPARE_FOLDER });
}

const OURS = `---\nansible_become: '{{ user_can_become_root | default(false) | bool }}'\n`;

it('plays over the Ansible server become nobody else there, in a folder of an earlier release as well', () => {
  mkdirSync(join(home, 'folder/group_vars'), { recursive: true });
  writeFileSync(join(home, 'folder/.windlass'), 'instance\n');
  for (let operations = 0; operations < 2; operations += 1) prepare();
  expect(readdirSync(variables())).toEqual(['localhost.yml']);
  expect(readFileSync(join(variables(), 'localhost.yml'), 'utf8')).toBe(OURS);
  expect(statSync(join(variables(), 'localhost.yml')).mode & 0o777).toBe(0o600);
});

it('a preparation that was killed before it had written that is done again', () => {
  mkdirSync(join(home, 'kubespray/inventory/sample/host_vars'));
  writeFileSync(join(home, 'kubespray/inventory/sample/host_vars/.localhost.new'), 'ansible_be');
  prepare();
  expect(readFileSync(join(variables(), 'localhost.yml'), 'utf8')).toBe(OURS);
});

it.each(['localhost.yml', 'localhost'])('what the operator’s sample says of its server stays: host_vars/%s', (name) => {
  mkdirSync(join(home, 'kubespray/inventory/sample/host_vars'));
  writeFileSync(join(home, 'kubespray/inventory/sample/host_vars', name), 'ansible_become: true\n');
  prepare();
  expect(readdirSync(variables())).toEqual([name]);
  expect(readFileSync(join(variables(), name), 'utf8')).toBe('ansible_become: true\n');
});
