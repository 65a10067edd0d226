import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeFolder } from '../debian/cache.js';
import { run } from '../debian/command.js';
import { realAnswer, sendFile } from '../registry/real-images.js';
import { ImageLayout, ServedImages } from './image-layout.js';

const NAME = 'registry.k8s.io/coredns/coredns:v1.12.1';

let home: string;
let images: ServedImages;
let server: Server;
let refused: string[];
beforeAll(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'windlass-layout-'));
  await writeLayout('one');
  images = await ServedImages.open(path.join(home, 'one'));
  refused = [];
  server = createServer((request, response) => {
    const refuses = (image: string) => refused.includes(image);
    void realAnswer(images, 'registry.k8s.io', request.url ?? '', refuses).then(async (answer) => {
      if ('file' in answer) await sendFile(response, answer, request.method !== 'HEAD');
      else response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await removeFolder(home);
});

/** An image of one layer with one file, in a layout of its own. */
async function writeLayout(name: string, at = new Date()): Promise<void> {
  const tree = path.join(home, `${name}-tree`);
  await mkdir(tree);
  await writeFile(path.join(tree, 'coredns'), 'a program\n', { mode: 0o755 });
  await utimes(path.join(tree, 'coredns'), at, at);
  const layout = await ImageLayout.begin(path.join(home, name));
  await layout.image([NAME, 'ghcr.io/flannel-io/flannel:v1'], [await layout.layer(tree)], { entrypoint: ['/coredns'] });
  await layout.finish();
}

const get = (rest: string, method = 'GET') =>
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/${rest}`, { method });
interface Manifest {
  config: { digest: string };
  layers: { digest: string; size: number }[];
}

it('an image is pulled whole: manifest, configuration and layer have the digests and sizes that they are named by', async () => {
  const answer = await get('coredns/coredns/manifests/v1.12.1');
  const text = Buffer.from(await answer.arrayBuffer());
  expect(answer.headers.get('docker-content-digest')).toBe(sha256(text));
  const manifest = JSON.parse(text.toString()) as Manifest;
  for (const { digest } of [manifest.config, ...manifest.layers]) {
    const blob = Buffer.from(await (await get(`coredns/coredns/blobs/${digest}`)).arrayBuffer());
    expect(sha256(blob)).toBe(digest);
  }
  const [layer = { digest: '', size: 0 }] = manifest.layers;
  const file = path.join(home, 'pulled.tar');
  await writeFile(file, Buffer.from(await (await get(`coredns/coredns/blobs/${layer.digest}`)).arrayBuffer()));
  expect(await run('tar', ['-xOf', file, './coredns'])).toBe('a program\n');
  expect(await run('tar', ['--numeric-owner', '-tvf', file, './coredns'])).toMatch(/^-rwxr-xr-x 0\/0 /);
});
const sha256 = (content: Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`;

it('a manifest is there by its digest too, and a HEAD has its type and no body', async () => {
  const head = await get('coredns/coredns/manifests/v1.12.1', 'HEAD');
  expect(await head.text()).toBe('');
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100);
  const again = await get(`coredns/coredns/manifests/${head.headers.get('docker-content-digest') ?? ''}`);
  expect(again.headers.get('content-type')).toBe('application/vnd.oci.image.manifest.v1+json');
});

it.each([
  ['another tag', 'coredns/coredns/manifests/v1.12.2'],
  ['a name that begins alike', 'coredns/coredn/manifests/v1.12.1'],
  ['an image of another registry', 'flannel-io/flannel/manifests/v1'],
  ['a digest that no blob has', `coredns/coredns/blobs/sha256:${'0'.repeat(64)}`],
  ['a file beside the blobs', 'coredns/coredns/blobs/sha256:..%2f..%2findex.json'],
])('%s is not there: nothing is made up for it', async (_, rest) => {
  expect((await get(rest)).status).toBe(404);
});

it('a blob is there under the names of images only', async () => {
  const digest = images.digestOf(NAME) ?? '';
  expect((await get(`coredns/coredns/manifests/${digest}`)).status).toBe(200);
  expect((await get(`coredns/other/manifests/${digest}`)).status).toBe(404);
});

it('a node that is refused this time gets a 503, which container runtimes try again', async () => {
  refused.push(NAME);
  expect((await get('coredns/coredns/manifests/v1.12.1')).status).toBe(503);
  refused.length = 0;
  expect((await get('coredns/coredns/manifests/v1.12.1')).status).toBe(200);
});

it('the same files are the same image, whenever it is made: nodes keep what they have', async () => {
  await writeLayout('two', new Date('2020-01-01'));
  const again = await ServedImages.open(path.join(home, 'two'));
  expect(again.digestOf(NAME)).toBe(images.digestOf(NAME));
  const index = JSON.parse(await readFile(path.join(home, 'two/index.json'), 'utf8')) as { manifests: unknown[] };
  expect(index.manifests).toHaveLength(2);
});
