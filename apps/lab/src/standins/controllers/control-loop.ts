import { seconds, type Duration } from '@windlass/foundation';

/** Looks at the cluster and does what is due. Returns when to look again even if nothing changes. */
export type Sync = () => Promise<Duration | undefined>;

/** Runs one sync at a time: after a change, after the time that the last one asked for, and a second after a failure. */
export class ControlLoop {
  #dirty = false;
  #running = false;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly name: string,
    private readonly sync: Sync,
    private readonly log: (line: string) => void,
  ) {}

  /** Something changed. */
  trigger(): void {
    this.#dirty = true;
    if (!this.#running && !this.#stopped) void this.#run();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    this.#running = true;
    clearTimeout(this.#timer);
    let again: Duration | undefined;
    while (this.#isDue()) {
      this.#dirty = false;
      try {
        // Changes come in bursts: one look after the burst is enough.
        await new Promise((resolve) => setImmediate(resolve));
        again = await this.sync();
      } catch (error) {
        this.log(`${this.name}: ${error instanceof Error ? error.message : String(error)}`);
        again = seconds(1);
        break;
      }
    }
    this.#running = false;
    if (again !== undefined && !this.#stopped) this.#timer = setTimeout(() => this.trigger(), again);
  }

  #isDue(): boolean {
    return this.#dirty && !this.#stopped;
  }
}
