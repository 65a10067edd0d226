import { InvariantError, Secret } from '@windlass/foundation';
import { quoteWord, type FileContent, type JobFiles, type JobSpec, type PreparedRun } from '@windlass/mgmt-driver';
import type { Masker } from '../output/masker.js';

const MAX_INPUT_BYTES = 16 * 1024 * 1024;

/** Each is looked for in all that a job prints. A key has some thirty lines. */
const MAX_SECRET_LINES = 10_000;
/** A line of a log is held back until the longest would have shown. */
const MAX_SECRET_LINE_LENGTH = 256 * 1024;

/** Why these are too many secrets or too long ones to be hidden in a log, if they are. */
export function tooMuchToHide(secrets: readonly string[]): string | undefined {
  const lines = secrets.flatMap((secret) => secret.split('\n', MAX_SECRET_LINES + 1));
  if (lines.length > MAX_SECRET_LINES) return `secrets of more than ${MAX_SECRET_LINES} lines to be hidden in a log`;
  const isLong = lines.some((line) => line.length > MAX_SECRET_LINE_LENGTH);
  return isLong ? `a secret with a line of more than ${MAX_SECRET_LINE_LENGTH} characters to be hidden in a log` : undefined;
}

/** The bytes of a file's content; text as UTF-8. A Secret is revealed: what is returned must not be logged. */
export const bytesOf = (content: FileContent): Buffer =>
  typeof content === 'string'
    ? Buffer.from(content, 'utf8')
    : content instanceof Secret
      ? Buffer.from(content.reveal(), 'utf8')
      : Buffer.from(content);

/** What a job is given at its start, collected until then and sent in one piece. */
export class Inputs implements JobFiles {
  readonly #files = new Map<string, { mode: number; bytes: Buffer }>();
  /** Secrets among it: a successor that attaches must hide them too. */
  readonly #secrets: string[] = [];

  constructor(
    private readonly folder: string,
    private readonly masker: Masker,
  ) {}

  path(name: string): string {
    return `${this.folder}/${plain(name)}`;
  }

  put(name: string, content: FileContent, options: { mode?: number } = {}): Promise<void> {
    this.#add(plain(name), content, options.mode ?? 0o600);
    return Promise.resolve();
  }

  /**
   * Adds the run itself.
   * @throws InvariantError when it is too much
   */
  complete(prepared: PreparedRun): Buffer {
    const lines = Object.entries(prepared.env ?? {}).map(([name, value]) => {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new InvariantError(`"${name}" is no name of an environment variable`);
      this.#learn(value);
      return `export ${name}=${quoteWord(value instanceof Secret ? value.reveal() : value)}\n`;
    });
    this.#add('+run', `${lines.join('')}${prepared.run.text}\n`, 0o600);
    this.#add('+stdin', prepared.input ?? '', 0o600);
    this.#add('+display', `${this.masker.mask(prepared.run.display)}\n`, 0o600);
    if (prepared.receipt !== undefined) this.#add('+receipt', prepared.receipt, 0o600);
    const tooMuch = tooMuchToHide(this.#secrets);
    if (tooMuch !== undefined) throw new InvariantError(`a job is given ${tooMuch}: put large files there with host.files`);
    this.#add('+mask', JSON.stringify(this.#secrets), 0o600);
    return this.#stream();
  }

  #stream(): Buffer {
    const parts: Buffer[] = [];
    let size = 0;
    for (const [name, { mode, bytes }] of this.#files) {
      parts.push(Buffer.from(`${mode.toString(8)} ${bytes.length} ${name}\n`, 'latin1'), bytes);
      size += bytes.length;
    }
    if (size > MAX_INPUT_BYTES) {
      throw new InvariantError(
        `a job is given ${size} bytes at its start, at most ${MAX_INPUT_BYTES} are allowed: put large files there with host.files`,
      );
    }
    return Buffer.concat([...parts, Buffer.from('end\n')]);
  }

  #add(name: string, content: FileContent, mode: number): void {
    this.#learn(content);
    this.#files.set(name, { mode, bytes: bytesOf(content) });
  }

  #learn(value: unknown): void {
    this.masker.add(value);
    if (value instanceof Secret) this.#secrets.push(value.reveal());
  }
}

function plain(name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) {
    throw new InvariantError(
      `"${name}" is no plain file name: letters, digits, dots, dashes and underscores, a letter or digit first`,
    );
  }
  return name;
}

/** What the spec says is to be run, prepared now if it must be. */
export async function prepare(spec: JobSpec, files: JobFiles): Promise<PreparedRun> {
  if (spec.prepare !== undefined) return spec.prepare(files);
  return { run: spec.run, ...(spec.env && { env: spec.env }), ...(spec.input === undefined ? {} : { input: spec.input }) };
}
