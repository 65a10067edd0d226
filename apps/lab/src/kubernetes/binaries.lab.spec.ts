import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Cache, removeFolder } from '../debian/cache.js';
import { compiledProgram } from '../hosts/testing/compiled-fleet.js';
import { findGo, requireDisk, type GoTool } from './go-build.js';
import { makeParts } from './real-kubernetes.js';
import { fakeGo, Mirror, partOf, type Manner } from './testing/mirror.js';

let mirror: Mirror;
let cacheDir: string;
let said: string[];
beforeEach(async () => {
  mirror = await Mirror.start();
  cacheDir = await mkdtemp(path.join(os.tmpdir(), 'windlass-kubernetes-'));
  said = [];
});
afterEach(async () => {
  await mirror.end();
  await removeFolder(cacheDir);
});

const log = (line: string) => void said.push(line);
const NO_GO = () => Promise.resolve('no Go is here');

async function make(go: () => Promise<GoTool | string>, published = true): Promise<string> {
  const cache = await Cache.open(cacheDir, log);
  const part = await partOf(mirror.home, published ? [mirror.download()] : []);
  const [folder = ''] = await makeParts(cache, { log, parts: [part], go });
  return readFile(path.join(folder, 'v1/tool'), 'utf8');
}
const builds = async (): Promise<number> =>
  existsSync(`${mirror.home}/built`) ? (await readFile(`${mirror.home}/built`, 'utf8')).trim().split('\n').length : 0;

it('what a project publishes is taken where its digest is right, needs no Go, and is asked for once', async () => {
  expect(await make(NO_GO)).toBe('the official one\n');
  expect(await make(NO_GO)).toBe('the official one\n');
  expect(mirror.asked).toHaveLength(1);
  expect(said.join('\n')).toContain(`downloading ${mirror.download().url}`);
});

it.each<[Manner, RegExp]>([
  ['cut-off', /can't be downloaded .*(terminated|aborted|other side closed)/],
  ['another-file', /can't be downloaded .*and [0-9a-f]{64} was expected: it is not used/],
  ['login-page', /can't be downloaded .*and [0-9a-f]{64} was expected: it is not used/],
  ['refusal', /can't be downloaded .*answered 403/],
])('a download that comes as %s is not used: it is said, and Go builds', async (manner, why) => {
  mirror.manner = manner;
  const go = await fakeGo(mirror.home);
  expect(await make(() => Promise.resolve(go))).toBe('built\n');
  expect(said.join('\n')).toMatch(why);
  expect(said.join('\n')).toContain('it is built with go1.99');
});

it('without a network Go builds', async () => {
  const go = await fakeGo(mirror.home);
  const download = mirror.download();
  await mirror.stop();
  const cache = await Cache.open(cacheDir, log);
  const [folder = ''] = await makeParts(cache, {
    log,
    parts: [await partOf(mirror.home, [download])],
    go: () => Promise.resolve(go),
  });
  expect(await readFile(path.join(folder, 'v1/tool'), 'utf8')).toBe('built\n');
  expect(said.join('\n')).toContain('ECONNREFUSED');
});

it('what nobody published a digest of is never downloaded', async () => {
  const go = await fakeGo(mirror.home);
  expect(await make(() => Promise.resolve(go), false)).toBe('built\n');
  expect(mirror.asked).toEqual([]);
});

it('with no cache, no download and no Go it is one sentence that names all three, and nothing stays', async () => {
  mirror.manner = 'refusal';
  await expect(make(NO_GO)).rejects.toThrow(
    /^a real Kubernetes can't be had here: the tool 1 is not in the cache, it can't be downloaded \(.*answered 403\), and no Go is here to build it with; [^.]*--kubernetes real[^.]*$/,
  );
  expect((await readdir(cacheDir)).filter((name) => name.startsWith('tool-'))).toEqual([]);
});

it('a full disk is said before anything is built, with what is free and what to do', async () => {
  const go = await fakeGo(mirror.home);
  await expect(requireDisk(cacheDir, go, 2 ** 60)).rejects.toThrow(
    /takes up to 1073741824.0 GB .* GB free: make room, or leave --kubernetes real away/,
  );
  await expect(requireDisk(path.join(cacheDir, 'not/there/yet'), go, 1)).resolves.toBeUndefined();
});

it('a Go that is too old is no Go, and the next place is looked at', async () => {
  const old = path.join(mirror.home, 'old-go');
  await writeFile(old, '#!/bin/sh\necho go1.19.8\n', { mode: 0o755 });
  expect(await findGo([old])).toBe('the Go here is go1.19.8, and 1.26 or newer is needed');
  const newer = path.join(mirror.home, 'newer-go');
  await writeFile(newer, '#!/bin/sh\necho go2.0\n', { mode: 0o755 });
  expect(await findGo([old, path.join(mirror.home, 'none'), newer])).toEqual({ file: newer, version: 'go2.0' });
});

it('two labs that want it at once build it once', async () => {
  const go = await fakeGo(mirror.home);
  const both = await Promise.all([make(() => Promise.resolve(go), false), make(() => Promise.resolve(go), false)]);
  expect(both).toEqual(['built\n', 'built\n']);
  expect(await builds()).toBe(1);
});

it('a lab that is ended in the middle of a build takes the compilers with it and leaves nothing half', async () => {
  await fakeGo(mirror.home, 'echo half > "$2"; sleep 600');
  const part = await partOf(mirror.home, []);
  const program = await compiledProgram(LAB);
  const lab = spawn(process.execPath, [program.file, JSON.stringify({ cacheDir, part, file: `${mirror.home}/go` })], {
    stdio: 'inherit',
  });
  await waitUntil(() => Promise.resolve(existsSync(`${mirror.home}/built`) || undefined), {
    for: 'the build to begin',
    within: seconds(20),
    every: millis(50),
  });
  const ended = once(lab, 'exit');
  lab.kill('SIGINT');
  await ended;
  await waitUntil(async () => (await runningIn(mirror.home)).length === 0 || undefined, {
    for: 'the compiler to be gone',
    within: seconds(20),
    every: millis(50),
  });
  await program.remove();
  expect((await readdir(cacheDir)).filter((name) => name.startsWith('tool-'))).toEqual([]);
  const go = await fakeGo(mirror.home);
  expect(await make(() => Promise.resolve(go), false)).toBe('built\n');
  expect((await readdir(cacheDir)).filter((name) => name.startsWith('building-'))).toEqual([]);
});

/** A lab in a process of its own that builds a part. */
const LAB = `
import { Cache } from './apps/lab/src/hosts/cache.js';
import { makeParts } from './apps/lab/src/kubernetes/real-kubernetes.js';
const { cacheDir, part, file } = JSON.parse(process.argv[2]);
const log = () => undefined;
await makeParts(await Cache.open(cacheDir, log), { log, parts: [part], go: async () => ({ file, version: 'go1.99' }) });
`;

/** Processes whose command line names something below a folder. */
async function runningIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (line.includes(folder)) found.push(line);
  }
  return found;
}
