import { openSync, write } from 'node:fs';
import { Writable } from 'node:stream';

/**
 * A log at the end of a file. What can't be written, on a full disk say, is left out: an error here would end the supervisor, and a writer that
 * takes nothing more would hold up the process that speaks into it.
 */
export class LogFile extends Writable {
  readonly #file: number;

  /** @throws the file system's error when the file can't be opened */
  constructor(path: string) {
    super();
    this.#file = openSync(path, 'a', 0o600);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    write(this.#file, chunk, () => done());
  }
}
