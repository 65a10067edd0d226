import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, statfs } from 'node:fs/promises';
import path from 'node:path';
import { describeDuration, hours, millis, TerminalError } from '@windlass/foundation';
import { APART, finish, run } from '../debian/command.js';
import type { GoProgram, Part } from './parts.js';

/** What the modules ask for. */
const OLDEST_GO: readonly [number, number] = [1, 26];
/** Modules, Go's own cache and the binaries, all parts together, where nothing is there yet. */
const DISK_NEEDED = 10 * 1024 ** 3;

/** Where Go's own distribution puts itself, which is in nobody's PATH. */
const PLACES = ['go', '/usr/local/go/bin/go'];

/** The Go of this machine. */
export interface GoTool {
  file: string;
  version: string;
}

/** @returns what is wrong instead, as the end of a sentence, where there is no Go that will do */
export async function findGo(places: readonly string[] = PLACES): Promise<GoTool | string> {
  let tooOld: string | undefined;
  for (const file of places) {
    const asked = await finish(file, ['env', 'GOVERSION']).catch(() => undefined);
    if (asked?.status !== 0) continue;
    const version = asked.stdout.trim();
    const [, major = 0, minor = 0] = (/^go(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
    if (major > OLDEST_GO[0] || (major === OLDEST_GO[0] && minor >= OLDEST_GO[1])) return { file, version };
    tooOld = `the Go here is ${version}, and ${OLDEST_GO.join('.')} or newer is needed`;
  }
  return tooOld ?? `no Go is here (${OLDEST_GO.join('.')} or newer, in PATH or /usr/local/go)`;
}

/** What decides what Go makes of a part: its modules' exact contents and how they are built. */
export async function moduleDigest(part: Part): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(part.programs));
  const entries = await readdir(part.module, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  for (const file of files.sort()) {
    hash.update(`\0${path.relative(part.module, file)}\0`);
    hash.update(await readFile(file));
  }
  return hash.digest('hex');
}

/**
 * Builds the programs of a part into a folder. The compilers end with us, however we end.
 * @throws TerminalError `lab.go-build` with Go's own last words; `lab.disk` where the disk would be full
 */
export async function buildPart(part: Part, go: GoTool, folder: string, log: (line: string) => void): Promise<void> {
  await requireDisk(folder, go);
  if (part.programs.some(({ c }) => c === true)) await requireC(part);
  for (const [number, program] of part.programs.entries()) {
    const started = performance.now();
    log(`kubernetes: ${part.title}: building ${program.to} (${number + 1} of ${part.programs.length})`);
    await buildProgram(part, program, go, folder);
    const took = performance.now() - started;
    if (took > 10_000) log(`kubernetes: ${part.title}: ${program.to} took ${describeDuration(millis(took))}`);
  }
}

async function buildProgram(part: Part, program: GoProgram, go: GoTool, folder: string): Promise<void> {
  const target = path.join(folder, program.to);
  await mkdir(path.dirname(target), { recursive: true });
  const stamps = Object.entries(program.stamps ?? {}).map(([name, value]) => `-X ${name}=${value}`);
  const linking = ['-s', '-w', ...(program.c === true ? ['-extldflags=-static'] : []), ...stamps].join(' ');
  // Two at a time: more would take a gigabyte each.
  const args = ['build', '-p', '2', '-trimpath', '-buildvcs=false', '-ldflags', linking, '-o', target, program.package];
  const env = { CGO_ENABLED: program.c === true ? '1' : '0', GOTOOLCHAIN: 'local', GOWORK: 'off', GOFLAGS: '-mod=readonly' };
  try {
    await run('setpriv', [...APART, '--', 'nice', '-n', '10', go.file, ...args], { cwd: part.module, env, within: hours(2) });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TerminalError('lab.go-build', `${part.title}: ${program.to} could not be built with ${go.version}: ${reason}`, {
      cause,
    });
  }
}

/** @param needed bytes; {@link DISK_NEEDED} but in tests */
export async function requireDisk(folder: string, go: GoTool, needed = DISK_NEEDED): Promise<void> {
  const caches = (await run(go.file, ['env', 'GOCACHE', 'GOMODCACHE'])).trim().split('\n');
  for (const place of [folder, ...caches]) {
    const { bavail, bsize } = await statfs(await nearestFolder(place));
    const free = bavail * bsize;
    if (free >= needed) continue;
    const gigabytes = (bytes: number) => (bytes / 1024 ** 3).toFixed(1);
    throw new TerminalError(
      'lab.disk',
      `building Kubernetes with ${go.version} takes up to ${gigabytes(needed)} GB with its modules and what Go keeps of them, and ${place} has ${gigabytes(free)} GB free: make room, or leave --kubernetes real away`,
    );
  }
}

/** The folder, or the one above it that is there. */
async function nearestFolder(folder: string): Promise<string> {
  try {
    await access(folder);
    return folder;
  } catch {
    const above = path.dirname(folder);
    return above === folder ? folder : nearestFolder(above);
  }
}

async function requireC(part: Part): Promise<void> {
  const found = await finish('gcc', ['--version']).catch(() => undefined);
  if (found?.status === 0) return;
  throw new TerminalError(
    'lab.go-build',
    `${part.title} has C in it, and there is no gcc here: as root run: apt-get install -y gcc libc6-dev`,
  );
}
