import { freePort } from '@windlass/embedded';
import { TerminalError } from '@windlass/foundation';
import type { ServiceFailure } from '@windlass/service-kit';

/** How often another port is tried where another process takes one between our choice and the API's bind. */
const PORT_ATTEMPTS = 5;
/** What lcm-api says where its port is taken. */
const PORT_TAKEN = 'lcm.port-taken';

/** The port of the REST API: the one that was asked for; or any free one, which may be another until clients are told where the API is. */
export class ApiPort {
  #attempts = 1;
  #isTold = false;

  private constructor(
    private readonly asked: number,
    private chosen: number,
  ) {}

  /** @param asked 0: any free one */
  static async choose(asked: number): Promise<ApiPort> {
    return new ApiPort(asked, asked === 0 ? await freePort() : asked);
  }

  get number(): number {
    return this.chosen;
  }

  /** Clients learn it: from now on it stays, and who ends is started on it again. */
  tell(): number {
    this.#isTold = true;
    return this.chosen;
  }

  /**
   * A service failed: where that was for the port, and nobody knows it yet, another one is chosen.
   * @throws TerminalError `deployment.port-taken` where it was asked for by name, or where as many others were taken, too
   */
  async afterFailure({ code, reason }: ServiceFailure): Promise<void> {
    if (code !== PORT_TAKEN || this.#isTold) return;
    if (this.asked !== 0 || this.#attempts === PORT_ATTEMPTS) throw new TerminalError('deployment.port-taken', reason);
    this.#attempts += 1;
    this.chosen = await freePort();
  }
}
