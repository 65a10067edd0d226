import { Gathered } from '../output/gathered.js';
import { SaidTooMuch } from '../output/said-too-much.js';
import { countOf } from './counts.js';

/** What the script says while it follows a job, piece by piece: lines, and after `out` or `err` lines as many bytes as they say. */
export interface FollowEvents {
  /** `skipped` bytes of the log come before these and were not sent. */
  log(stream: 'out' | 'err', skipped: number, bytes: Buffer): void;
  line(words: readonly string[]): void;
}

/** The script's longest line has some forty characters. */
const MAX_LINE_BYTES = 4096;
const LINE_FEED = 10;
const EMPTY = Buffer.alloc(0);

/** Cuts the runner script's output, which arrives in chunks of any size, into {@link FollowEvents}. Looks at each byte once. */
export class FollowParser {
  /** The beginning of a line. */
  readonly #begun = new Gathered(MAX_LINE_BYTES + 1);
  #expected: { stream: 'out' | 'err'; left: number } | undefined;

  /** @param host as errors name it */
  constructor(
    private readonly host: string,
    private readonly events: FollowEvents,
  ) {}

  /** @throws TerminalError `remote.said-too-much`, `remote.bad-answer` */
  push(chunk: Buffer): void {
    for (let rest = chunk; rest.length > 0;)
      rest = this.#expected === undefined ? this.#line(rest) : this.#bytes(rest, this.#expected);
  }

  /** Takes bytes of the log; returns what follows them. */
  #bytes(chunk: Buffer, { stream, left }: { stream: 'out' | 'err'; left: number }): Buffer {
    const piece = chunk.subarray(0, left);
    this.#expected = left === piece.length ? undefined : { stream, left: left - piece.length };
    this.events.log(stream, 0, piece);
    return chunk.subarray(piece.length);
  }

  /**
   * Takes a line, or the part of it that is there; returns what follows it.
   * @throws SaidTooMuch
   */
  #line(chunk: Buffer): Buffer {
    const end = chunk.indexOf(LINE_FEED);
    this.#begun.push(end < 0 ? chunk : chunk.subarray(0, end));
    if (this.#begun.length > MAX_LINE_BYTES) {
      throw new SaidTooMuch(this.host, `a line of more than ${MAX_LINE_BYTES} bytes where the job script says a few words`);
    }
    if (end < 0) return EMPTY;
    const words = this.#begun.bytes().toString('utf8').split(' ');
    this.#begun.clear();
    const [kind] = words;
    if (kind === 'out' || kind === 'err') this.#expect(kind, words);
    else this.events.line(words);
    return chunk.subarray(end + 1);
  }

  #expect(stream: 'out' | 'err', words: readonly string[]): void {
    const left = countOf(this.host, words[2]);
    this.events.log(stream, countOf(this.host, words[1]), EMPTY);
    this.#expected = left === 0 ? undefined : { stream, left };
  }
}
