import { describeDuration, TransientError, type Duration } from '@windlass/foundation';
import { Readable } from 'node:stream';

/** What is handed to the connection at once: a slow one still moves within the time, piece by piece. */
const PIECE = 64 * 1024;

export interface MovingBytesOptions {
  /** Whose they are, for the error. */
  of: string;
  length: number;
  /** How long nothing may move before it is given up; from the last byte on, how long its answer may take. */
  movesWithin: Duration;
  /** Told how many bytes went out. */
  sent?: ((bytes: number) => void) | undefined;
}

/** Bytes on their way out: counted, and an end when they stop moving. */
export class MovingBytes {
  readonly #stalled = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #sent = 0;
  #waitsFor: 'the package' | 'Glance' = 'Glance';
  #source: Readable | undefined;

  constructor(private readonly options: MovingBytesOptions) {}

  /** Aborts when nothing has moved for too long; its reason is a TransientError `glance.upload-stalled`. */
  get signal(): AbortSignal {
    return this.#stalled.signal;
  }

  /** The bytes of the source, watched from now on until {@link stop}. Called again, it counts from nothing, and the source before is let go. */
  watch(source: Readable): Readable {
    this.#source?.destroy();
    this.#source = source;
    this.#sent = 0;
    const pieces = Readable.from(this.#pieces(source), { objectMode: false, highWaterMark: PIECE });
    // The request that reads them hears of it as well; of one that is over, nobody is left to.
    return pieces.on('error', () => undefined);
  }

  /** Nothing is waited for any more, and nothing more is read. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#source?.destroy();
  }

  async *#pieces(source: Readable): AsyncGenerator<Buffer> {
    this.#moved('the package');
    for await (const chunk of source as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length && source === this.#source; at += PIECE) {
        const piece = chunk.subarray(at, at + PIECE);
        this.#moved('Glance');
        yield piece;
        this.#sent += piece.length;
        this.options.sent?.(this.#sent);
      }
      this.#moved('the package');
    }
    this.#moved('Glance');
  }

  #moved(next: 'the package' | 'Glance'): void {
    this.#waitsFor = next;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#stalled.abort(this.#error()), this.options.movesWithin);
  }

  #error(): TransientError {
    const { of, length, movesWithin } = this.options;
    const lasted = describeDuration(movesWithin);
    const where =
      this.#sent === length
        ? 'Glance did not answer'
        : this.#waitsFor === 'Glance'
          ? 'Glance took no more'
          : 'no more came from the package';
    return new TransientError(
      'glance.upload-stalled',
      `nothing moved for ${lasted} in the upload of ${of}, at ${this.#sent} of ${length} bytes: ${where}`,
    );
  }
}
