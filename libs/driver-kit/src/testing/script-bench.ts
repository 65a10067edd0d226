import { spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** How a script ended. */
export interface ScriptEnd {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Programs that look and change files alone; no script finds any other of the machine's. */
const REAL = [
  ...[
    'awk',
    'base64',
    'basename',
    'bash',
    'cat',
    'chmod',
    'cmp',
    'cut',
    'cp',
    'date',
    'df',
    'dirname',
    'env',
    'find',
    'gpg',
    'grep',
    'gzip',
    'head',
    'id',
    'install',
    'ln',
    'ls',
  ],
  ...[
    'mkdir',
    'mktemp',
    'mv',
    'paste',
    'perl',
    'rm',
    'readlink',
    'rmdir',
    'sed',
    'seq',
    'sha256sum',
    'sort',
    'stat',
    'tac',
    'tail',
    'tar',
    'tee',
    'timeout',
    'touch',
    'tr',
    'true',
    'uname',
    'wc',
  ],
];

/** Folders of a node that scripts work in; in the bench they lie in a folder of its own. */
const OF_NODE =
  /(?<![\w.}/:-])\/(?=(etc|var|run|opt|root|home|usr\/lib|usr\/local|sys|dev\/disk|proc\/(swaps|sys|meminfo|net|filesystems|self\/uid_map))\b)/g;

/**
 * A folder in the place of a node's root, on which the real bash runs scripts, with programs of the test's own. What they were called
 * with is in {@link calls}. Nothing outside the folder can be changed: of the machine's programs a script finds only those of a short list.
 */
export class ScriptBench {
  readonly root = mkdtempSync(path.join(os.tmpdir(), 'windlass-script-'));
  /** No link lies here: what is written here lands here. */
  readonly #own = path.join(this.root, 'own');
  readonly #machines = path.join(this.root, 'machines');
  readonly #log = path.join(this.root, 'calls');

  constructor() {
    for (const folder of [
      'own',
      'machines',
      'tmp',
      'run',
      'etc',
      'var/lib/dpkg',
      'var/lib/apt/lists',
      'var/cache/apt/archives',
      'proc',
    ])
      mkdirSync(path.join(this.root, folder), { recursive: true });
    for (const name of REAL)
      symlinkSync(existsSync(`/usr/bin/${name}`) ? `/usr/bin/${name}` : `/bin/${name}`, path.join(this.#machines, name));
    writeFileSync(this.#log, '');
  }

  /** A program that notes its arguments and then runs the body, bash; without one it succeeds. */
  program(name: string, body = ''): this {
    const file = path.join(this.#own, name);
    writeFileSync(file, `#!/bin/bash\nprintf '%s\\n' "${name} $*" >> ${this.#log}\n${this.#here(body)}\n`);
    chmodSync(file, 0o755);
    return this;
  }

  /** A program of the node that scripts call by its path. */
  executable(name: string, body: string): this {
    this.file(name, `#!/bin/bash\n${this.#here(body)}\n`);
    chmodSync(this.at(name), 0o755);
    return this;
  }

  /** Programs that only note that they were called. */
  programs(...names: string[]): this {
    for (const name of names) this.program(name);
    return this;
  }

  /** Where a path of the node lies. */
  at(name: string): string {
    return path.join(this.root, name);
  }

  /** A file of the node. */
  file(name: string, content: string): this {
    mkdirSync(path.dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), content);
    return this;
  }

  append(name: string, content: string): void {
    appendFileSync(this.at(name), content);
  }

  read(name: string): string {
    return readFileSync(this.at(name), 'utf8');
  }

  has(name: string): boolean {
    return existsSync(this.at(name));
  }

  /** Lines of what programs of the test's own were called with, in order. */
  get calls(): string[] {
    return readFileSync(this.#log, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  }

  /** Runs a script to its end; `onOutput` hears what it has printed so far. */
  run(text: string, args: readonly string[] = [], onOutput: (stdout: string) => void = () => undefined): Promise<ScriptEnd> {
    const script = path.join(this.root, 'script.sh');
    writeFileSync(script, this.#here(text));
    return new Promise((resolve, reject) => {
      const child = spawn('/bin/bash', [script, ...args], {
        cwd: this.root,
        env: { PATH: `${this.#own}:${this.#machines}`, TMPDIR: path.join(this.root, 'tmp'), HOME: this.root },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
        onOutput(stdout);
      });
      child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      child.once('error', reject);
      child.once('close', (status) => resolve({ status, stdout, stderr }));
    });
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }

  #here(text: string): string {
    return text.replace(OF_NODE, `${this.root}/`);
  }
}
