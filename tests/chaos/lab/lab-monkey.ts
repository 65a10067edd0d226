import { setTimeout as pause } from 'node:timers/promises';
import { minutes } from '@windlass/foundation';
import type { Product } from '../../support/deployed.js';
import type { Random } from '../random.js';

/** The services that work for a storage server, a registry and a load balancer. lcm-api is killed in the full run alone, whose client looks up lost answers. */
export const VICTIMS = ['storage-mgmt', 'registry-mgmt', 'k8s-mgmt', 'infra-driver', 'saga-coordinator', 'vim-registry'] as const;

/** The time between two strikes, in milliseconds, counted from when every service works again. */
const BETWEEN = { least: 5_000, most: 12_000 } as const;
/** The limit for a service to come back, on a busy machine. */
const BACK_WITHIN = minutes(3);

/** Kills one service after another by a seed until it is told to stop. The supervisor starts each service again. */
export class LabMonkey {
  /** The killed services, in order. */
  readonly struck: string[] = [];
  readonly #stopping = new AbortController();
  #striking: Promise<void> | undefined;

  constructor(
    private readonly product: Pick<Product, 'deployment'>,
    private readonly random: Random,
  ) {}

  start(): void {
    this.#striking = this.#strikeOn();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#striking;
  }

  async #strikeOn(): Promise<void> {
    const { signal } = this.#stopping;
    for (let n = 1; !signal.aborted; n += 1) {
      const random = this.random.below(`strike ${n}`);
      for (const service of this.product.deployment.processes) await service.ready(BACK_WITHIN);
      const between = random.below('pause').whole(BETWEEN.least, BETWEEN.most);
      const toldToStop = await pause(between, false, { signal }).catch(() => true);
      if (!toldToStop) this.#strike(random.below('victim').pick(VICTIMS));
    }
  }

  #strike(victim: string): void {
    const pid = this.product.deployment.processes.find(({ name }) => name === victim)?.pid;
    if (pid === undefined) return;
    process.kill(pid, 'SIGKILL');
    this.struck.push(victim);
  }
}
