import { request } from 'node:http';
import { request as secureRequest } from 'node:https';

/** A question that was not answered with success: when, and why. */
interface Failure {
  /** Milliseconds since the asking began. */
  at: number;
  why: string;
}

const EVERY = 100;
/** As clients have it: an answer that a busy machine gives late is an answer. */
const PATIENCE = 10_000;

/**
 * Asks an address every 100 ms over a connection of its own each time, as a client outside would, and remembers which questions failed. Who
 * answers is not verified: what is looked at is whether anybody does.
 */
export class AskedAlways {
  readonly #failures: Failure[] = [];
  readonly #begun = performance.now();
  readonly #timer: NodeJS.Timeout;
  #asked = 0;

  constructor(private readonly url: string) {
    this.#timer = setInterval(() => void this.#ask(), EVERY);
  }

  /** What failed since it was last asked for, in ms from the first to the last such question; 0 where one alone failed or none. */
  taken(): { asked: number; failed: number; forMs: number; whys: string[] } {
    const failures = this.#failures.splice(0);
    const asked = this.#asked;
    this.#asked = 0;
    const [first, last] = [failures[0]?.at ?? 0, failures.at(-1)?.at ?? 0];
    return {
      asked,
      failed: failures.length,
      forMs: Math.round(last - first),
      whys: [...new Set(failures.map(({ why }) => why))],
    };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #ask(): Promise<void> {
    const at = performance.now() - this.#begun;
    this.#asked += 1;
    const why = await this.#whyNot();
    if (why !== undefined) this.#failures.push({ at, why });
  }

  #whyNot(): Promise<string | undefined> {
    return new Promise((resolve) => {
      const options = { agent: false, timeout: PATIENCE, rejectUnauthorized: false };
      const asking = (this.url.startsWith('https:') ? secureRequest : request)(this.url, options, (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode === 200 ? undefined : `status ${answer.statusCode ?? 0}`));
        answer.on('error', (error) => resolve(error.message));
      });
      asking.on('timeout', () => asking.destroy(new Error(`no answer in ${PATIENCE} ms`)));
      asking.on('error', (error) => resolve(error.message));
      asking.end();
    });
  }
}
