import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { ScriptBench } from '@windlass/driver-kit/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HAS_LOGIN, SECURE_REGISTRY } from './access-scripts.js';
import { USER, USERS_PASSWORD } from './testing/bench.js';
import { ACCESS, CERTIFICATE, HTPASSWD, KEY } from './scripts.js';

let vm: ScriptBench;
beforeEach(() => {
  vm = new ScriptBench().programs('chown');
});
afterEach(() => vm.remove());

const secure = (login: string, certificate = '', key = '') => {
  vm.file('job/login', login).file('job/certificate', certificate).file('job/key', key);
  return vm.run(
    SECURE_REGISTRY,
    ['login', 'certificate', 'key'].map((name) => vm.at(`job/${name}`)),
  );
};

const has = (user: string, password: string): boolean =>
  spawnSync('perl', ['-e', HAS_LOGIN, vm.at(HTPASSWD)], { input: `${user}\n${password}\n` }).status === 0;

const modeOf = (path: string): string => (statSync(vm.at(path)).mode & 0o777).toString(8);

it('makes a line of bcrypt with a salt of its own, which has this user and this password and no other', async () => {
  const first = await secure(`${USER}\n${USERS_PASSWORD}\n`);
  expect(first).toMatchObject({ status: 0, stderr: '' });
  const line = vm.read(HTPASSWD);
  expect(line).toMatch(/^puller:\$2b\$10\$[./A-Za-z0-9]{53}\n$/);
  expect(has(USER, USERS_PASSWORD)).toBe(true);
  for (const [user, password] of [
    [USER, `${USERS_PASSWORD} `],
    [USER, ''],
    ['pulle', USERS_PASSWORD],
  ] as const)
    expect(has(user, password), `${user}:${password}`).toBe(false);
  await secure(`${USER}\n${USERS_PASSWORD}\n`);
  expect(vm.read(HTPASSWD)).not.toBe(line);
});

it.each(['$HOME `id` "\\\'', ' ends with a blank ', 'x'.repeat(72), '12345'])(
  'takes the password %j as it stands',
  async (password) => {
    expect(await secure(`${USER}\n${password}\n`)).toMatchObject({ status: 0, stderr: '' });
    expect(has(USER, password)).toBe(true);
  },
);

it('leaves files that nobody but their owner reads, in a folder that nobody but its owner enters', async () => {
  await secure(`${USER}\n${USERS_PASSWORD}\n`, 'a certificate\n', 'a key\n');
  expect([ACCESS, HTPASSWD, CERTIFICATE, KEY].map(modeOf)).toEqual(['700', '600', '600', '600']);
  expect([vm.read(CERTIFICATE), vm.read(KEY)]).toEqual(['a certificate\n', 'a key\n']);
});

it('says the password to no program, and prints none of it', async () => {
  const { stdout, stderr } = await secure(`${USER}\n${USERS_PASSWORD}\n`, 'a certificate\n', 'a key\n');
  expect([stdout, stderr, ...vm.calls].join('\n')).not.toMatch(/correct horse|a key/);
  expect(SECURE_REGISTRY).not.toContain('set -x');
});

it('takes away what an earlier one left and this one has not', async () => {
  await secure(`${USER}\n${USERS_PASSWORD}\n`, 'a certificate\n', 'a key\n');
  await secure('', '', '');
  expect([HTPASSWD, CERTIFICATE, KEY].map((path) => vm.has(path))).toEqual([false, false, false]);
});
