/** What the script says while it follows a job, piece by piece: lines, and after `out` or `err` lines as many bytes as they say. */
export interface FollowEvents {
  /** `skipped` bytes of the log come before these and were not sent. */
  log(stream: 'out' | 'err', skipped: number, bytes: Buffer): void;
  line(words: readonly string[]): void;
}

/** Cuts the runner script's output, which arrives in chunks of any size, into {@link FollowEvents}. */
export class FollowParser {
  #buffer: Buffer = Buffer.alloc(0);
  #expected: { stream: 'out' | 'err'; skipped: number; left: number } | undefined;

  constructor(private readonly events: FollowEvents) {}

  push(chunk: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    while (this.#bytes() || this.#line());
  }

  /** Takes bytes of the log; whether it went on. */
  #bytes(): boolean {
    const expected = this.#expected;
    if (expected === undefined || this.#buffer.length === 0) return false;
    const piece = this.#buffer.subarray(0, expected.left);
    this.#buffer = this.#buffer.subarray(piece.length);
    const { stream, skipped } = expected;
    this.#expected = expected.left === piece.length ? undefined : { stream, skipped: 0, left: expected.left - piece.length };
    this.events.log(stream, skipped, piece);
    return true;
  }

  #line(): boolean {
    const end = this.#expected === undefined ? this.#buffer.indexOf(10) : -1;
    if (end < 0) return false;
    const words = this.#buffer.subarray(0, end).toString('utf8').split(' ');
    this.#buffer = this.#buffer.subarray(end + 1);
    const [kind] = words;
    if (kind === 'out' || kind === 'err') {
      this.#expected = { stream: kind, skipped: Number(words[1]), left: Number(words[2]) };
    } else {
      this.events.line(words);
    }
    return true;
  }
}
