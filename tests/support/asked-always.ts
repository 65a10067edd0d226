import { request } from 'node:http';
import { request as secureRequest } from 'node:https';

/** A request that failed or got no 2xx answer: when, and why. */
interface Failure {
  /** Milliseconds since the first request. */
  at: number;
  why: string;
}

const EVERY = 100;
/** The time-out of a request, in milliseconds: as long as clients have, since a late answer of a busy machine is no failure. */
const PATIENCE = 10_000;

/**
 * Sends a request every 100 ms, each over a connection of its own, as a client outside would, and keeps which requests failed. Certificates
 * are not verified: the test asks only whether there is an answer.
 */
export class AskedAlways {
  readonly #failures: Failure[] = [];
  readonly #begun = performance.now();
  readonly #timer: NodeJS.Timeout;
  #asked = 0;

  constructor(private readonly url: string) {
    this.#timer = setInterval(() => void this.#ask(), EVERY);
  }

  /** The requests since the last call of this. `forMs`: milliseconds from the first failed request to the last; 0 where fewer than two failed. */
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
