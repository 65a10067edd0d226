import type { Hosts } from '@windlass/mgmt-driver';

/** The most machines that are remembered: those that were silent longest ago are forgotten first. */
const MOST = 10_000;

/**
 * Machines that did not answer when they were asked last, by their resources. It says whom to ask last, and nothing else: nobody is taken for dead
 * by it, and whoever answers again is forgotten here.
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

/** Those that a process knows: what one step has found, at the cost of a connection's time-out, the next one need not find again. */
export function silentMachines(hosts: Hosts): SilentMachines {
  const silent = known.get(hosts) ?? new SilentMachines();
  known.set(hosts, silent);
  return silent;
}
