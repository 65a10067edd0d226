import { describeDuration, millis, seconds, type Duration } from '@windlass/foundation';
import { PackageError, type CsarSource, type TrustedSigners } from '@windlass/vnf-package';
import { Worker } from 'node:worker_threads';
import type { FromThread, ReadPackage, ToThread } from './thread-messages.js';

/** What reading one package may cost, and whose signatures count. */
export interface ReadingLimits {
  /** MiB of JavaScript's heap. */
  heapMiB: number;
  /** How long the thread may be busy with the package, not counting what it waits for. */
  busy: Duration;
  /** The same for each GiB of its members, which are all inflated and hashed. */
  busyPerGiB: Duration;
  /** Without them no signature is verified. */
  signers?: TrustedSigners;
}

const GIB = 1_024 ** 3;

/** How often the thread's time is looked at. */
const WATCH = seconds(1);

/** A thread that reads packages, one at a time. A package that costs too much ends the thread, and nothing else. */
export class ReadingThread {
  readonly #worker: Worker;
  #ended = false;
  /** How long it may be busy with the package that it reads, in milliseconds. */
  #allowed = 0;

  constructor(
    program: URL,
    private readonly limits: ReadingLimits,
  ) {
    // An environment of its own, without the secrets of the service's.
    this.#worker = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: limits.heapMiB }, env: {}, execArgv: [] });
    this.#worker.once('exit', () => (this.#ended = true));
    // The error reaches the caller that waits for a package. A thread that dies while idle is replaced.
    this.#worker.on('error', () => (this.#ended = true));
    this.rest();
  }

  /** Whether it can't read any more. */
  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Reads one package. Unless the package was read to its end, the thread is ended too: streams may still be open in it.
   * @throws PackageError, what the source throws, the signal's reason
   */
  async read(source: CsarSource, signal: AbortSignal): Promise<ReadPackage> {
    this.#worker.ref();
    const stop = new AbortController();
    try {
      return await new Promise<ReadPackage>((resolve, reject) => {
        const fail = (error: unknown): void => {
          // A late message of this package must not reach the next one.
          if (stop.signal.aborted) return;
          reject(error instanceof Error ? error : new Error(String(error)));
          void this.end();
        };
        this.#watch(stop.signal, fail);
        this.#onMessage(stop.signal, (message) => {
          if (message.kind === 'read') resolve(message.read);
          else if (message.kind === 'listed') this.#allowed += (message.bytes / GIB) * this.limits.busyPerGiB;
          else if (message.kind === 'want') this.#give(source, message).catch(fail);
          else fail(failureOf(message));
        });
        if (signal.aborted) fail(signal.reason);
        else signal.addEventListener('abort', () => fail(signal.reason), { signal: stop.signal });
        const { signers } = this.limits;
        this.#say({ kind: 'read', size: source.size, ...(signers === undefined ? {} : { signers }) });
      });
    } finally {
      stop.abort();
    }
  }

  /** An idle thread does not keep the process running. */
  rest(): void {
    this.#worker.unref();
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#worker.terminate();
  }

  #onMessage(until: AbortSignal, take: (message: FromThread) => void): void {
    this.#worker.on('message', take);
    until.addEventListener('abort', () => this.#worker.off('message', take));
  }

  /** Notices when the thread ends, or costs too much. */
  #watch(until: AbortSignal, fail: (error: unknown) => void): void {
    const busy = (): number => this.#worker.performance.eventLoopUtilization().active;
    const before = busy();
    this.#allowed = this.limits.busy;
    const look = setInterval(() => {
      if (busy() - before <= this.#allowed) return;
      fail(tooCostly(`keeps a processor busy for more than ${describeDuration(millis(this.#allowed))}`));
    }, WATCH);
    const died = (error: unknown): void => fail(this.#reasonOf(error));
    const left = (): void => fail(new Error('the thread that read the package ended'));
    this.#worker.once('error', died).once('exit', left);
    until.addEventListener('abort', () => {
      clearInterval(look);
      this.#worker.off('error', died).off('exit', left);
    });
  }

  async #give(source: CsarSource, { id, offset, length }: { id: number; offset: number; length: number }): Promise<void> {
    const found = await source.read(offset, length);
    // A copy, because the bytes are handed over to the thread, and the source's may be a part of a larger buffer.
    const bytes = new Uint8Array(found);
    if (!this.#ended) this.#say({ kind: 'bytes', id, bytes }, bytes.buffer);
  }

  #say(message: ToThread, ...given: ArrayBuffer[]): void {
    this.#worker.postMessage(message, given);
  }

  #reasonOf(error: unknown): unknown {
    const { code } = error as { code?: unknown };
    return code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooCostly(`takes more than ${this.limits.heapMiB} MiB of memory`) : error;
  }
}

const failureOf = (message: Extract<FromThread, { kind: 'refused' | 'broken' }>): Error =>
  message.kind === 'broken'
    ? new Error(message.reason)
    : new PackageError(message.code, message.reason, message.member === undefined ? {} : { member: message.member });

const tooCostly = (what: string): PackageError =>
  new PackageError('csar.too-costly', `reading the package ${what}: make its descriptor and templates smaller or simpler`);
