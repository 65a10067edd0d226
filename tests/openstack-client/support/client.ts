import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minutes, type Duration } from '@windlass/foundation';

/** The end of a command. */
export interface Ended {
  status: number;
  /** The output without its last line break. */
  stdout: string;
  stderr: string;
}

/** Where Debian's packages `python3-openstackclient` and `python3-tackerclient` put the program. */
const DEBIAN = '/usr/bin/openstack';

/** The limit for a command, on a busy machine. */
const WITHIN = minutes(2);

/** The unmodified `openstack` command line, with a folder for its files. */
export class OpenStackClient {
  private constructor(
    readonly folder: string,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly program: string,
  ) {}

  /** @param environment `OS_*` variables */
  static async with(environment: Readonly<Record<string, string>>, program = DEBIAN): Promise<OpenStackClient> {
    return new OpenStackClient(await mkdtemp(join(tmpdir(), 'windlass-client-')), environment, program);
  }

  /** The same client and files, with more environment. */
  in(more: Readonly<Record<string, string>>): OpenStackClient {
    return new OpenStackClient(this.folder, { ...this.environment, ...more }, this.program);
  }

  close(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  /** Writes a file for a command. Returns the file's path. */
  async file(name: string, content: string | Buffer | object): Promise<string> {
    const path = join(this.folder, name);
    await writeFile(path, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
    return path;
  }

  /** Runs `openstack <args>`, which may fail. */
  run(...args: string[]): Promise<Ended> {
    return this.#ended(this.program, args);
  }

  /** Runs a shell script, in which `openstack` is this client, up to its first command that fails. */
  shell(script: string, within: Duration): Promise<Ended> {
    const preamble = `set -euo pipefail\nopenstack() { ${this.program} "$@"; }\n`;
    return this.#ended('/bin/bash', ['-c', `${preamble}${script}`], within);
  }

  /** The output of a command that must succeed. */
  async ok(...args: string[]): Promise<string> {
    const ended = await this.run(...args);
    if (ended.status === 0) return ended.stdout;
    throw new Error(`openstack ${args.join(' ')} ended with ${ended.status}:\n${ended.stdout}\n${ended.stderr}`);
  }

  /** A command's table of one object, by the client's names of columns. */
  async show(...args: string[]): Promise<Record<string, unknown>> {
    return JSON.parse(await this.ok(...args, '-f', 'json')) as Record<string, unknown>;
  }

  /** A command's list of objects. */
  async list(...args: string[]): Promise<Record<string, unknown>[]> {
    return JSON.parse(await this.ok(...args, '-f', 'json')) as Record<string, unknown>[];
  }

  #ended(program: string, args: readonly string[], within = WITHIN): Promise<Ended> {
    const env = { PATH: '/usr/bin:/bin', HOME: this.folder, LC_ALL: 'C.UTF-8', PYTHONWARNINGS: 'ignore', ...this.environment };
    return new Promise((resolve, reject) => {
      execFile(program, args, { env, timeout: within, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
        if (error !== null && typeof error.code !== 'number') reject(new Error(`${program} ${args.join(' ')}`, { cause: error }));
        else resolve({ status: Number(error?.code ?? 0), stdout: stdout.trimEnd(), stderr: stderr.trimEnd() });
      });
    });
  }
}
