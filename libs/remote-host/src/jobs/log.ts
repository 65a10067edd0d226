import { StringDecoder } from 'node:string_decoder';
import type { JobOutput } from '@windlass/mgmt-driver';
import type { Masker } from '../output/masker.js';
import { maskedAfterCut, MAX_LINE_LENGTH } from './log-lines.js';
import { Tail } from './tail.js';

/** How much of each stream is kept. */
export const TAIL_BYTES = 64 * 1024;

/** One stream of a job: its last 64 KiB, how much came before them, and its lines as they come. */
export class LogStream {
  readonly #tail = new Tail(TAIL_BYTES);
  #seen = 0;
  #dropped = 0;
  /** A line whose end did not come yet. It is not looked through again when more comes. */
  #line = '';
  /** The line begins where something was skipped: half a secret would not be recognised. */
  #cut = false;
  #decoder = new StringDecoder('utf8');

  constructor(
    private readonly stream: JobOutput['stream'],
    private readonly masker: Masker,
    private readonly onOutput: ((output: JobOutput) => void) | undefined,
  ) {}

  /** Where reading goes on: an offset into the whole log. */
  get offset(): number {
    return this.#seen;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** Bytes as printed. */
  get tail(): Buffer {
    return this.#tail.bytes();
  }

  push(chunk: Buffer): void {
    this.#seen += chunk.length;
    this.#dropped += this.#tail.push(chunk);
    this.#passLines(this.#decoder.write(chunk));
  }

  /** Bytes that were not read at all. */
  skip(bytes: number): void {
    if (bytes === 0) return;
    this.#seen += bytes;
    this.#dropped += this.#tail.length + bytes;
    this.#tail.clear();
    this.#line = '';
    this.#cut = true;
    this.#decoder = new StringDecoder('utf8');
  }

  /** What comes now is what was kept of the log, and all of it: read from its beginning. */
  restart(): void {
    this.#seen = 0;
    this.#dropped = 0;
    this.#tail.clear();
    this.#line = '';
  }

  droppedBefore(bytes: number): void {
    this.#dropped += bytes;
  }

  /** The tail for people. Its first line, where it is cut, goes: half a secret would not be recognised. */
  masked(): string {
    const text = this.tail.toString('utf8');
    if (this.#dropped === 0) return this.masker.mask(text);
    return maskedAfterCut(this.masker, text);
  }

  /** Passes on a last line without its end. */
  end(): void {
    this.#line += this.#decoder.end();
    if (this.#cut) this.#line = this.#line.slice(this.masker.longest);
    if (this.#line !== '') this.#pass(this.#line);
    this.#line = '';
  }

  #passLines(text: string): void {
    const rest = this.#cut ? this.#afterCut(text) : text;
    const end = rest.lastIndexOf('\n') + 1;
    if (end > 0) {
      this.#pass(this.#line + rest.slice(0, end));
      this.#line = '';
    }
    this.#line += rest.slice(end);
    // So much is new each time, however long the secrets are.
    if (this.#line.length <= MAX_LINE_LENGTH + this.masker.longest) return;
    // Masked before it is cut; the end of it stays, as a secret may have begun there.
    const masked = this.masker.mask(this.#line);
    const ready = Math.max(0, masked.length - this.masker.longest);
    if (ready > 0) this.#pass(masked.slice(0, ready));
    this.#line = masked.slice(ready);
  }

  /** What of it may be shown: all from the next line on, or what is so far behind the cut that no secret reaches it. */
  #afterCut(text: string): string {
    const newline = text.indexOf('\n');
    if (newline < 0 && this.#line.length + text.length <= MAX_LINE_LENGTH + this.masker.longest) {
      this.#line += text;
      return '';
    }
    const shown = newline < 0 ? (this.#line + text).slice(this.masker.longest) : text.slice(newline + 1);
    this.#line = '';
    this.#cut = false;
    return shown;
  }

  #pass(text: string): void {
    this.onOutput?.({ stream: this.stream, text: this.masker.mask(text) });
  }
}
