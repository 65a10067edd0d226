import { StringDecoder } from 'node:string_decoder';
import type { JobOutput } from '@windlass/mgmt-driver';
import type { Masker } from '../masker.js';

/** How much of each stream is kept. */
export const TAIL_BYTES = 64 * 1024;
/** A line longer than this is passed on in pieces. */
const MAX_LINE_LENGTH = 16 * 1024;

/** One stream of a job: its last 64 KiB, how much came before them, and its lines as they come. */
export class LogStream {
  #tail: Buffer = Buffer.alloc(0);
  #seen = 0;
  #dropped = 0;
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
    return this.#tail;
  }

  push(chunk: Buffer): void {
    this.#seen += chunk.length;
    const joined = Buffer.concat([this.#tail, chunk]);
    this.#tail = joined.subarray(Math.max(0, joined.length - TAIL_BYTES));
    this.#dropped += joined.length - this.#tail.length;
    this.#line += this.#decoder.write(chunk);
    this.#passLines();
  }

  /** Bytes that were not read at all. */
  skip(bytes: number): void {
    if (bytes === 0) return;
    this.#seen += bytes;
    this.#dropped += this.#tail.length + bytes;
    this.#tail = Buffer.alloc(0);
    this.#line = '';
    this.#cut = true;
    this.#decoder = new StringDecoder('utf8');
  }

  /** What comes now is what was kept of the log, and all of it: read from its beginning. */
  restart(): void {
    this.#seen = 0;
    this.#dropped = 0;
    this.#tail = Buffer.alloc(0);
    this.#line = '';
  }

  droppedBefore(bytes: number): void {
    this.#dropped += bytes;
  }

  /** The tail for people. Its first line, where it is cut, goes: half a secret would not be recognised. */
  masked(): string {
    const text = this.#tail.toString('utf8');
    if (this.#dropped === 0) return this.masker.mask(text);
    const newline = text.indexOf('\n');
    const cut = newline >= 0 && newline < MAX_LINE_LENGTH ? newline + 1 : this.masker.longest;
    return this.masker.mask(text.slice(cut));
  }

  /** Passes on a last line without its end. */
  end(): void {
    this.#line += this.#decoder.end();
    if (this.#cut) this.#line = this.#line.slice(this.masker.longest);
    if (this.#line !== '') this.#pass(this.#line);
    this.#line = '';
  }

  #passLines(): void {
    if (this.#cut) {
      const newline = this.#line.indexOf('\n');
      if (newline < 0 && this.#line.length <= MAX_LINE_LENGTH) return;
      this.#line = this.#line.slice(newline < 0 ? this.masker.longest : newline + 1);
      this.#cut = false;
    }
    const end = this.#line.lastIndexOf('\n') + 1;
    if (end > 0) {
      this.#pass(this.#line.slice(0, end));
      this.#line = this.#line.slice(end);
    }
    if (this.#line.length <= MAX_LINE_LENGTH) return;
    // Masked before it is cut; the end of it stays, as a secret may have begun there.
    const masked = this.masker.mask(this.#line);
    const ready = Math.max(0, masked.length - this.masker.longest);
    if (ready > 0) this.#pass(masked.slice(0, ready));
    this.#line = masked.slice(ready);
  }

  #pass(text: string): void {
    this.onOutput?.({ stream: this.stream, text: this.masker.mask(text) });
  }
}
