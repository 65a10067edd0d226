import type { Hosts } from '@windlass/mgmt-driver';

/** The most machines that are remembered: those that were silent longest ago are forgotten first. */
const MOST = 10_000;

/**
 * Machines that did not answer when they were last asked, by resource id. They are asked last, and that is all: no machine counts as dead because of
 * this, and a machine that answers again is forgotten.
 */
export class SilentMachines {
  readonly #resourceIds = new Set<string>();

  has(resourceId: string): boolean {
    return this.#resourceIds.has(resourceId);
  }

  add(resourceId: string): void {
    this.#resourceIds.delete(resourceId);
    this.#resourceIds.add(resourceId);
    const [oldest] = this.#resourceIds;
    if (this.#resourceIds.size > MOST && oldest !== undefined) this.#resourceIds.delete(oldest);
  }

  delete(resourceId: string): void {
    this.#resourceIds.delete(resourceId);
  }
}

const known = new WeakMap<Hosts, SilentMachines>();

/** The silent machines that a process knows: a step need not wait for the connection time-out of a machine that an earlier step found silent. */
export function silentMachines(hosts: Hosts): SilentMachines {
  const silent = known.get(hosts) ?? new SilentMachines();
  known.set(hosts, silent);
  return silent;
}
