import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { debianMirror, parseDeb822Sources, parseOneLineSources } from './apt-sources.js';

let apt: string;
beforeEach(() => {
  apt = mkdtempSync(join(tmpdir(), 'windlass-apt-'));
  mkdirSync(join(apt, 'sources.list.d'));
});
afterEach(() => rmSync(apt, { recursive: true }));

const nobody = (): Promise<string | undefined> => Promise.resolve(undefined);

test('the mirror is the one that apt names, and then nobody is asked', async () => {
  writeFileSync(join(apt, 'sources.list.d/debian.list'), 'deb [trusted=yes] http://mirror.example/debian/ bookworm main\n');
  const asked = () => Promise.reject(new Error('asked'));
  expect(await debianMirror('bookworm', asked, apt)).toMatchObject({ uri: 'http://mirror.example/debian', trusted: true });
});

test('a mirror is asked for where apt names none, and is not trusted unsigned; no other is taken by itself', async () => {
  const suites: string[] = [];
  const answer = (suite: string) => Promise.resolve((suites.push(suite), ' https://asked.example/debian/ '));
  expect(await debianMirror('bookworm', answer, apt)).toMatchObject({ uri: 'https://asked.example/debian', trusted: false });
  expect(suites).toEqual(['bookworm']);
  writeFileSync(join(apt, 'sources.list'), 'deb [trusted=yes] cdrom:/ bookworm main\n');
  expect(await debianMirror('bookworm', answer, apt)).toMatchObject({ uri: 'https://asked.example/debian', trusted: false });
  writeFileSync(join(apt, 'sources.list'), 'deb mirror+file:/no/such/list bookworm main\n');
  await expect(debianMirror('bookworm', nobody, apt)).rejects.toMatchObject({ code: 'lab.no-mirror' });
});

test('without a mirror the lab says where to name one', async () => {
  await expect(debianMirror('bookworm', nobody, apt)).rejects.toThrow(
    /names no mirror of Debian bookworm: add one to .*WINDLASS_DEBIAN_MIRROR/,
  );
  await expect(debianMirror('bookworm', () => Promise.resolve('mirror'), apt)).rejects.toThrow('"mirror" is no URL');
});

test('one-line sources give mirror, suite, components and the options in brackets; comments and sources of source code are skipped', () => {
  const text = `# deb http://commented/debian bookworm main
deb-src http://source/debian bookworm main
deb [arch=amd64 signed-by=/usr/share/keyrings/own.gpg] http://mirror.example/debian bookworm main contrib # why
  deb [trusted=yes] file:/srv/debian bookworm main
`;
  expect(parseOneLineSources(text)).toEqual([
    {
      uris: ['http://mirror.example/debian'],
      suites: ['bookworm'],
      components: ['main', 'contrib'],
      signedBy: '/usr/share/keyrings/own.gpg',
      trusted: false,
    },
    { uris: ['file:/srv/debian'], suites: ['bookworm'], components: ['main'], signedBy: undefined, trusted: true },
  ]);
});

test('deb822 sources may have several values, continued lines, a key inside, and be switched off', () => {
  const text = `Types: deb deb-src
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
 contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Enabled: no
Types: deb
URIs: http://off.example/debian
Suites: bookworm
Components: main

Types: deb
URIs: http://inline.example/debian
Suites: bookworm
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
`;
  expect(parseDeb822Sources(text)).toEqual([
    {
      uris: ['http://mirror.example/debian'],
      suites: ['bookworm', 'bookworm-updates'],
      components: ['main', 'contrib'],
      signedBy: '/usr/share/keyrings/debian-archive-keyring.gpg',
      trusted: false,
    },
    { uris: ['http://inline.example/debian'], suites: ['bookworm'], components: ['main'], signedBy: undefined, trusted: false },
  ]);
});
