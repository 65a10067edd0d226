import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { faultOf } from './newer-packages.js';

const ROOT = new Map([
  ['libc6', '2.36-9+deb12u10'],
  ['systemd', '252.36-1~deb12u1'],
]);
const CONTAINERD = { name: 'containerd', from: ['sid'], major: { version: 2, for: 'a configuration of format 3' } };

function deb(version: string, depends: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'windlass-deb-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(path.join(folder, 'root/DEBIAN'), { recursive: true });
  const fields = {
    Package: 'containerd',
    Version: version,
    Architecture: 'all',
    Maintainer: 'a <a@b>',
    Depends: depends,
    Description: 'x',
  };
  const control = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
  writeFileSync(path.join(folder, 'root/DEBIAN/control'), control.join(''));
  const file = path.join(folder, 'made.deb');
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', path.join(folder, 'root'), file], { stdio: 'ignore' });
  return file;
}

it.each([
  [
    'of the major version, whatever its release, on the root’s libc',
    '2.1.9+ds1-5',
    'runc (>= 0.1.0~), libc6 (>= 2.34)',
    undefined,
  ],
  [
    'with an epoch, and one dependency of several, which is apt’s matter',
    '1:2.9-1',
    'libc6 (>= 2.38) | libc6-dev (>= 3)',
    undefined,
  ],
  [
    'of the next major version',
    '3.0.0-1',
    'libc6 (>= 2.34)',
    'is not of version 2, for which it is taken (a configuration of format 3)',
  ],
  ['that needs a later libc', '2.2.0-1', 'runc, libc6 (>= 2.38)', 'needs libc6 2.38, and bookworm’s is 2.36-9+deb12u10'],
  ['that needs a later systemd', '2.2.0-1', 'systemd (>= 257)', 'needs systemd 257, and bookworm’s is 252.36-1~deb12u1'],
])('a package of the newer image %s', async (_, version, depends, fault) => {
  expect(await faultOf(deb(version, depends), CONTAINERD, ROOT)).toBe(fault?.replace('’s', "'s"));
});
