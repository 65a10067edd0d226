import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { minutes, type Duration } from '@windlass/foundation';
import { commandsOf } from '../../support/guide-shell.js';
import { home } from '../../support/deployed.js';

const run = promisify(execFile);

/** What lies beside `deploy` in a checkout, and is used of there. */
const BESIDE = ['windlass', 'apps', 'libs', 'node_modules', 'package.json', 'package-lock.json', 'docs'];

/** A person in a checkout of their own, whose kubectl and helm know one cluster. */
export class TypedChart {
  /** Lines that were typed, by their places in the guide: some stand there twice. */
  readonly #typed = new Set<number>();

  private constructor(
    readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
    private readonly lines: readonly string[],
  ) {}

  /**
   * @param programs folders with kubectl and helm
   * @param kubeconfig its text
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
   * Types the first line of the guide that begins so and was not typed yet, as it stands. @returns what it printed
   * @param more words behind the line
   * @throws Error where there is none, or the command fails
   */
  async type(begins: string, more: readonly string[] = []): Promise<string> {
    const at = this.lines.findIndex((line, place) => line.startsWith(begins) && !this.#typed.has(place));
    const line = this.lines[at];
    if (line === undefined) throw new Error(`docs/guides/helm.md has no such line, or none more: ${begins}`);
    this.#typed.add(at);
    return this.run([line, ...more].join(' '), minutes(12));
  }

  /** Lines of the guide that nobody typed. */
  untyped(): string[] {
    return this.lines.filter((_line, place) => !this.#typed.has(place));
  }

  /** Runs a line in a shell of the person's. @returns what it printed, and then what it complained of */
  async run(line: string, within: Duration = minutes(5)): Promise<string> {
    const { stdout, stderr } = await this.#ran(line, within);
    return `${stdout}${stderr}`;
  }

  async #ran(line: string, within: Duration): Promise<{ stdout: string; stderr: string }> {
    return run('bash', ['-euo', 'pipefail', '-c', line], {
      cwd: this.folder,
      env: this.env,
      timeout: within,
      maxBuffer: 16 * 1024 ** 2,
    }).catch((cause: unknown) => {
      const { message, stdout: said = '', stderr: told = '' } = cause as Error & { stdout?: string; stderr?: string };
      throw new Error(`${line}: ${message}\n${said}\n${told}`, { cause });
    });
  }

  /** Of the namespace that the guide makes. */
  kubectl(line: string): Promise<string> {
    return this.run(`kubectl -n windlass ${line}`);
  }

  /** What kubectl prints as JSON, without what it complains of beside it. */
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
