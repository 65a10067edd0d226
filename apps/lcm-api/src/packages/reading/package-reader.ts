import { minutes, Turns, type Duration } from '@windlass/foundation';
import type { CsarSource } from '@windlass/vnf-package';
import { ReadingThread, type ReadingLimits } from './reading-thread.js';
import type { ReadPackage } from './thread-messages.js';

/** What reading packages may cost a process. */
export interface ReadingPolicy extends ReadingLimits {
  /** Packages that are read at a time; more wait, and projects are served in turn. */
  atOnce: number;
  /** After so long without a package a thread ends, and gives its memory back. */
  keptIdle: Duration;
}

export const defaultReadingPolicy: ReadingPolicy = {
  atOnce: 2,
  heapMiB: 512,
  busy: minutes(2),
  busyPerGiB: minutes(1),
  keptIdle: minutes(1),
};

/** The program that the threads run, as it is built. */
const PROGRAM = new URL('./reader-thread.js', import.meta.url);

/**
 * Reads packages in threads, so that any package costs bounded memory and time, and the process goes on answering. A thread is kept for the next
 * package, because loading its program takes longer than reading a small package.
 */
export class PackageReader {
  readonly #idle: ReadingThread[] = [];
  readonly #turns: Turns;
  #stopped = false;
  #ending: NodeJS.Timeout | undefined;

  constructor(
    private readonly policy: ReadingPolicy,
    private readonly program: URL = PROGRAM,
  ) {
    this.#turns = new Turns({ places: policy.atOnce });
  }

  /**
   * @param begin called when the package's turn has come, before anything of it is read
   * @param signal ends the waiting, and the reading
   * @throws PackageError, `csar.too-costly` among them; what `begin` and the source throw; the signal's reason
   */
  async read(
    project: string,
    { begin, source }: { begin: () => Promise<void>; source: CsarSource },
    signal: AbortSignal,
  ): Promise<ReadPackage> {
    const work = async (): Promise<ReadPackage> => {
      await begin();
      clearTimeout(this.#ending);
      const thread = this.#thread();
      try {
        return await thread.read(source, signal);
      } finally {
        await this.#putBack(thread);
      }
    };
    try {
      return await this.#turns.run(project, work, signal);
    } finally {
      if (this.#turns.running === 0 && !this.#stopped)
        this.#ending = setTimeout(() => void this.#endIdle(), this.policy.keptIdle).unref();
    }
  }

  /** Ends idle threads at once, and busy ones when they are done with their packages. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#endIdle();
  }

  #thread(): ReadingThread {
    for (let kept = this.#idle.pop(); kept !== undefined; kept = this.#idle.pop()) if (!kept.ended) return kept;
    return new ReadingThread(this.program, this.policy);
  }

  async #putBack(thread: ReadingThread): Promise<void> {
    if (thread.ended) return;
    if (this.#stopped) return thread.end();
    thread.rest();
    this.#idle.push(thread);
  }

  async #endIdle(): Promise<void> {
    clearTimeout(this.#ending);
    await Promise.all(this.#idle.splice(0).map((thread) => thread.end()));
  }
}
