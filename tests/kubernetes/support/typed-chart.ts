import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { minutes, type Duration } from '@windlass/foundation';
import { commandsOf } from '../../support/guide-shell.js';
import { home } from '../../support/deployed.js';

const run = promisify(execFile);

/** The entries beside `deploy` in a checkout that the guide uses. */
const BESIDE = ['windlass', 'apps', 'libs', 'node_modules', 'package.json', 'package-lock.json', 'docs'];

/** A person in their own checkout, whose kubectl and helm know one cluster. */
export class TypedChart {
  /** The typed lines, by their places in the guide, which has some lines twice. */
  readonly #typed = new Set<number>();

  private constructor(
    readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
    private readonly lines: readonly string[],
  ) {}

  /**
   * @param programs folders with kubectl and helm
   * @param kubeconfig the text of the kubeconfig
   */
  static async start(programs: readonly string[], kubeconfig: string): Promise<TypedChart> {
    const folder = await mkdtemp(join(tmpdir(), 'windlass-chart-'));
    for (const name of BESIDE) await symlink(join(home, name), join(folder, name));
    await cp(join(home, 'deploy'), join(folder, 'deploy'), {
      recursive: true,
      filter: (path) => !/deploy\/secrets\/[^.]/.test(path),
    });
    const file = join(folder, 'kubeconfig');
    await writeFile(file, kubeconfig, { mode: 0o600 });
    const env = { ...process.env, KUBECONFIG: file, PATH: [...programs, process.env.PATH ?? ''].join(':') };
    const lines = (await commandsOf('helm.md')).flatMap((block) => block.split('\n').filter((line) => line !== ''));
    return new TypedChart(folder, env, lines);
  }

  /**
   * Types the first untyped line of the guide with this begin, unchanged. @returns the output
   * @param more words behind the line
   * @throws Error where there is no such line, or the command fails
   */
  async type(begins: string, more: readonly string[] = []): Promise<string> {
    const at = this.lines.findIndex((line, place) => line.startsWith(begins) && !this.#typed.has(place));
    const line = this.lines[at];
    if (line === undefined) throw new Error(`docs/guides/helm.md has no such line, or none more: ${begins}`);
    this.#typed.add(at);
    return this.run([line, ...more].join(' '), minutes(12));
  }

  /** The lines of the guide that were not typed. */
  untyped(): string[] {
    return this.lines.filter((_line, place) => !this.#typed.has(place));
  }

  /** Runs a line in the person's shell. @returns stdout and then stderr */
  async run(line: string, within: Duration = minutes(5)): Promise<string> {
    const { stdout, stderr } = await this.#ran(line, within);
    return `${stdout}${stderr}`;
  }

  async #ran(line: string, within: Duration): Promise<{ stdout: string; stderr: string }> {
    // Where stdin is a socket, and Node's pipes are sockets, bash may read bashrc, which -u ends.
    return run('bash', ['--norc', '-euo', 'pipefail', '-c', line], {
      cwd: this.folder,
      env: this.env,
      timeout: within,
      maxBuffer: 16 * 1024 ** 2,
    }).catch((cause: unknown) => {
      const { message, stdout: said = '', stderr: told = '' } = cause as Error & { stdout?: string; stderr?: string };
      throw new Error(`${line}: ${message}\n${said}\n${told}`, { cause });
    });
  }

  /** Runs kubectl in the guide's namespace. */
  kubectl(line: string): Promise<string> {
    return this.run(`kubectl -n windlass ${line}`);
  }

  /** The JSON that kubectl prints, without stderr. */
  async json(line: string): Promise<unknown> {
    const { stdout } = await this.#ran(`kubectl -n windlass ${line} -o json`, minutes(5));
    return JSON.parse(stdout);
  }

  get environment(): NodeJS.ProcessEnv {
    return this.env;
  }

  token(): Promise<string> {
    return readFile(join(this.folder, 'deploy/secrets/lcm-token'), 'utf8');
  }

  close(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
