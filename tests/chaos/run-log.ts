import { appendFileSync } from 'node:fs';

/** A log file of a run, whose lines begin with the time since the run's begin. */
export class RunLog {
  readonly #begun = Date.now();

  constructor(private readonly file: string) {}

  /** Milliseconds since the run began. */
  get now(): number {
    return Date.now() - this.#begun;
  }

  write(text: string): void {
    appendFileSync(this.file, `${new Date().toISOString()} ${(this.now / 1_000).toFixed(2).padStart(8)} ${text}\n`);
  }
}
