import { seconds, waitUntil } from '@windlass/foundation';
import type { StepView } from '@windlass/windlass';
import type { Product } from './deployed.js';

/** kill -9 of a service's process; the supervisor starts it again. */
export async function killService({ deployment }: Pick<Product, 'deployment'>, service: string): Promise<void> {
  const process_ = deployment.processes.find(({ name }) => name === service);
  const pid = process_?.pid;
  if (process_ === undefined || pid === undefined) throw new Error(`${service} does not run`);
  process.kill(pid, 'SIGKILL');
  await waitUntil(() => Promise.resolve(process_.pid !== pid ? true : undefined), {
    for: `${service} to be started again`,
    within: seconds(20),
    every: seconds(0.05),
  });
}

/** Kills each service once, when the service's named step is first seen running. Each of these steps takes seconds, so a look finds the step running. */
export class Reaper {
  readonly #left: Map<string, string>;
  readonly #kills: Promise<void>[] = [];

  /** @param actions the action at whose step a service dies, by the service's name */
  constructor(
    private readonly product: Pick<Product, 'deployment'>,
    actions: Readonly<Record<string, string>>,
  ) {
    this.#left = new Map(Object.entries(actions));
  }

  /** Takes the steps of each look at an operation: `ApiClient.follow` calls it. */
  readonly look = (steps: readonly StepView[]): void => {
    for (const [service, action] of this.#left) {
      if (!steps.some((step) => step.action === action && step.state === 'running')) continue;
      this.#left.delete(service);
      this.#kills.push(killService(this.product, service));
    }
  };

  /** Waits until the killed services run again. Returns the services that were never killed. */
  async spared(): Promise<string[]> {
    await Promise.all(this.#kills);
    return [...this.#left.keys()];
  }
}
