import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { access, mkdir, readdir } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { seconds, waitUntil } from '@windlass/foundation';
import { evidence } from '@windlass/foundation/testing';

const run = promisify(execFile);
const CACHE = join(homedir(), '.cache/windlass/lab');

/** Prometheus of Debian's package, unpacked and not installed. */
export async function prometheusProgram(): Promise<string> {
  const folder = join(CACHE, 'containers/prometheus');
  const program = join(folder, 'usr/bin/prometheus');
  const there = await access(program).then(
    () => true,
    () => false,
  );
  if (there) return program;
  await mkdir(folder, { recursive: true });
  await run('apt-get', ['download', 'prometheus'], { cwd: folder });
  const deb = (await readdir(folder)).find((file) => file.endsWith('.deb')) ?? '';
  await run('dpkg', ['-x', join(folder, deb), folder]);
  return program;
}

/** Free ports of loopback. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer().listen(0, '127.0.0.1');
      return new Promise<typeof server>((resolve) => server.once('listening', () => resolve(server)));
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** A running program, which dies with this process. */
export class RunningProgram {
  private constructor(private readonly child: ChildProcess) {}

  /** Starts a program, and waits until an address gives any answer. */
  static async start(program: string, args: readonly string[], answersAt: string): Promise<RunningProgram> {
    const name = program.split('/').at(-1) ?? '';
    const log = evidence.log(name);
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => log(text.toString()));
    const running = new RunningProgram(child);
    try {
      await waitUntil(
        async (seen) => {
          if (child.exitCode !== null) throw new Error(`${name} ended with status ${child.exitCode}`);
          const answer = await fetch(answersAt).catch((error: unknown) => {
            seen(String(error));
            return undefined;
          });
          return answer === undefined ? undefined : true;
        },
        { for: `${name} to answer at ${answersAt}`, within: seconds(120), every: seconds(0.2) },
      );
      return running;
    } catch (error) {
      await running.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    const kill = setTimeout(() => this.child.kill('SIGKILL'), seconds(10));
    await ended;
    clearTimeout(kill);
  }
}
