import { expect, test } from 'vitest';
import { parseDeb822Sources, parseOneLineSources } from './apt-sources.js';

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
