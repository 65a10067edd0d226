import { mkdir, mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { debianMirror } from '../debian/apt-sources.js';
import { SUITE } from '../debian/base-root.js';
import { removeFolder } from '../debian/cache.js';
import { finish } from '../debian/command.js';
import { downloadDebs } from '../debian/download-debs.js';
import { IMAGE_TOOLS, layTools } from './images.js';

let home: string;
let server: Server;
beforeAll(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'windlass-tools-'));
  const [debs, tree] = [path.join(home, 'debs'), path.join(home, 'tree')];
  for (const folder of [debs, tree]) await mkdir(folder);
  await downloadDebs(debs, path.join(home, 'apt'), SUITE, IMAGE_TOOLS, await debianMirror(SUITE));
  await layTools(tree, debs);
  server = createServer((request, response) => {
    if (request.url === '/') response.end('hello\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await removeFolder(home);
});

const inImage = (...command: string[]) => finish('chroot', [path.join(home, 'tree'), ...command]);
const url = (rest: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${rest}`;

it.each([['-T', '5'], ['-T5'], ['--timeout=5'], []])('wget fetches a page with %s %s', async (...limit) => {
  expect(await inImage('wget', ...limit, '-q', '-O', '-', url('/'))).toMatchObject({ status: 0, stdout: 'hello\n' });
});

it('wget gives up on a server that says nothing when its time is over', async () => {
  const { signal } = await inImage('wget', '-q', '-T', '1', '-O', '-', url('/silent'));
  expect(signal).toBe('SIGTERM');
});

it.each([
  ['iptables', '--version'],
  ['conntrack', '--version'],
  ['ip', '-V'],
  ['modprobe', '--version'],
  ['nslookup', '--help'],
  ['cp', '--help'],
])("%s runs with the image's own libraries", async (...command) => {
  expect(await inImage(...command)).toMatchObject({ status: 0 });
});
