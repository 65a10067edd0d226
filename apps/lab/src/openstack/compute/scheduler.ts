import type { CloudState, Server, ServerGroup } from '../state/state.js';

export const NO_VALID_HOST = 'No valid host was found. There are not enough hosts available.';

/** Picks the compute host with the fewest servers that the server's group allows, or undefined when there is none. */
export function pickHost(state: CloudState, hosts: readonly string[], server: Server): string | undefined {
  const others = [...state.servers.values()].filter((one) => one.id !== server.id && one.host !== null);
  const load = (host: string): number => others.filter((one) => one.host === host).length;
  const byLoad = [...hosts].sort((one, other) => load(one) - load(other));
  const group = server.groupId === null ? undefined : state.serverGroups.get(server.groupId);
  if (group === undefined) return byLoad[0];
  const taken = new Set(others.filter((one) => one.groupId === group.id).map((one) => one.host));
  return byPolicy(group, byLoad, taken);
}

function byPolicy(group: ServerGroup, byLoad: string[], taken: Set<string | null>): string | undefined {
  const [free, shared] = [byLoad.filter((host) => !taken.has(host)), byLoad.filter((host) => taken.has(host))];
  switch (group.policy) {
    case 'anti-affinity':
      return free[0];
    case 'soft-anti-affinity':
      return free[0] ?? shared[0];
    case 'affinity':
      return taken.size === 0 ? byLoad[0] : shared[0];
    default:
      return shared[0] ?? free[0];
  }
}
