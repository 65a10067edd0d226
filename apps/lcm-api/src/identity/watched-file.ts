import { readFile, stat } from 'node:fs/promises';
import { seconds, type Duration } from '@windlass/foundation';
import type { AccessLog } from '../http/access-log.js';

/** How often a file is looked at, while it is asked for. */
const LOOK_EVERY: Duration = seconds(1);

/** A file whose content is read again when it changes. One that can't be read any more counts as it was, and the log says so. */
export class WatchedFile<T> {
  #content: T | undefined;
  #seen = '';
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  /** @param parse throws where the content is not what it should be; its message quotes no secret */
  constructor(
    readonly path: string,
    private readonly parse: (text: string) => T,
    private readonly log: AccessLog,
    private readonly lookEvery: Duration = LOOK_EVERY,
  ) {}

  /** Reads it for the first time. @throws Error where it is not there or not as it should be */
  async open(): Promise<this> {
    this.#seen = await this.#state();
    this.#content = this.parse(await readFile(this.path, 'utf8'));
    this.#lookedAt = performance.now();
    return this;
  }

  /** The content as it is now, or was a second ago. */
  async content(): Promise<T> {
    if (performance.now() - this.#lookedAt >= this.lookEvery) {
      this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
      await this.#looking;
    }
    return this.#content as T;
  }

  async #look(): Promise<void> {
    this.#lookedAt = performance.now();
    let state = 'unreadable';
    try {
      state = await this.#state();
      if (state === this.#seen) return;
      this.#content = this.parse(await readFile(this.path, 'utf8'));
      this.log.info('a file of who may ask was read again', { file: this.path });
    } catch (error) {
      if (state !== this.#seen)
        this.log.error('a file of who may ask can’t be read: what it said before counts', {
          file: this.path,
          error: error instanceof Error ? error.message : String(error),
        });
    }
    this.#seen = state;
  }

  async #state(): Promise<string> {
    const { mtimeMs, size, ino } = await stat(this.path);
    return `${mtimeMs} ${size} ${ino}`;
  }
}
