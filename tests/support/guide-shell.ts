import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { millis, minutes, waitUntil, type Duration } from '@windlass/foundation';
import { startTimeOf } from '@windlass/windlass';
import { home, type Deployed } from './deployed.js';

/** The commands of a page in docs/guides, or in another folder of docs, block by block. */
export async function commandsOf(page: string, folder: 'guides' | 'runbooks' = 'guides'): Promise<string[]> {
  const text = await readFile(join(home, 'docs', folder, page), 'utf8');
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

/** Programs in the place of the person's own: `ssh` and `scp` log in with the password that a person would type, and keep known hosts apart. */
const PROGRAMS: Readonly<Record<string, string>> = {
  ssh: 'exec sshpass -p ubuntu /usr/bin/ssh -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile="$HOME/known_hosts" -o LogLevel=ERROR "$@"',
  'ssh-keygen': 'exec /usr/bin/ssh-keygen -f "$HOME/known_hosts" "$@"',
};

/** A person's shell in the project's folder, beside a Windlass that runs. Variables and functions stay from block to block. */
export class GuideShell {
  readonly #lines: string[] = [];
  #blocks = 0;

  private constructor(
    private readonly folder: string,
    private readonly shell: ChildProcess,
  ) {
    for (const stream of [shell.stdout!, shell.stderr!])
      createInterface({ input: stream }).on('line', (line) => this.#lines.push(line));
  }

  static async start({ dataDir, deployment }: Deployed): Promise<GuideShell> {
    const folder = await mkdtemp(join(tmpdir(), 'windlass-guide-'));
    await mkdir(join(folder, 'bin'));
    for (const [name, text] of Object.entries(PROGRAMS)) {
      await writeFile(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`);
      await chmod(join(folder, 'bin', name), 0o755);
    }
    // `./windlass up` writes this file.
    const tokenFile = join(dataDir, 'secrets/token');
    const runtime = { url: deployment.url, tokenFile, dataDir, pid: process.pid, startedAt: startTimeOf(process.pid) };
    await writeFile(join(dataDir, 'windlass.json'), JSON.stringify(runtime), { mode: 0o600 });
    await mkdir(join(folder, '.cache/windlass'), { recursive: true });
    await symlink(dataDir, join(folder, '.cache/windlass/data'));
    const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}`, HOME: folder, LC_ALL: 'C.UTF-8' };
    const shell = spawn('/bin/bash', ['--norc', '-euo', 'pipefail', '-s'], { cwd: home, env, stdio: 'pipe' });
    return new GuideShell(folder, shell);
  }

  /**
   * Runs a block. Returns what the block printed.
   * @throws Error with the end of the output, where a command of the block fails
   */
  async run(block: string, within: Duration = minutes(10)): Promise<string> {
    const n = ++this.#blocks;
    const file = join(this.folder, `block-${n}`);
    await writeFile(file, block);
    const from = this.#lines.length;
    const end = `end of block ${n}`;
    this.shell.stdin!.write(`. ${file} < /dev/null\necho '${end}'\n`);
    const printed = (): string => this.#lines.slice(from).join('\n');
    await waitUntil(
      () => {
        if (this.#lines.includes(end, from)) return Promise.resolve(true);
        if (this.shell.exitCode !== null)
          throw new Error(`a command failed of\n${block}\nwhich printed\n${printed().slice(-4_000)}`);
        return Promise.resolve(undefined);
      },
      { for: `the commands to end: ${block}`, within, every: millis(100) },
    );
    return printed().replace(`\n${end}`, '');
  }

  async close(): Promise<void> {
    if (this.shell.exitCode === null) {
      this.shell.stdin!.end();
      this.shell.kill();
      await once(this.shell, 'exit');
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}
