import type { CloudState } from './state.js';

/** Ids (and names) of everything of one project, for checks that nothing was left behind. */
export interface ProjectInventory {
  project: string;
  stacks: { id: string; name: string; status: string }[];
  /** `host`: the compute host, which ordinary users are not told by default. */
  servers: { id: string; name: string; status: string; host: string | null }[];
  serverGroups: { id: string; name: string }[];
  ports: { id: string; name: string; addresses: string[] }[];
  networks: { id: string; name: string }[];
  subnets: { id: string; name: string }[];
  floatingIps: { id: string; address: string }[];
  securityGroups: { id: string; name: string }[];
  volumes: { id: string; name: string | null; status: string }[];
  images: { id: string; name: string | null; status: string; tags: string[] }[];
}

/** What each project has now. Stacks that were deleted don't count, nor what the lab itself put there. */
export function inventoryOf(state: CloudState): ProjectInventory[] {
  return [...state.projects.values()].map((project) => {
    const own = <T extends { projectId: string }>(all: Map<string, T>): T[] =>
      [...all.values()].filter((one) => one.projectId === project.id);
    return {
      project: project.name,
      stacks: own(state.stacks)
        .filter((one) => !(one.action === 'DELETE' && one.status === 'COMPLETE'))
        .map((one) => ({ id: one.id, name: one.name, status: `${one.action}_${one.status}` })),
      servers: own(state.servers).map(({ id, name, status, host }) => ({ id, name, status, host })),
      serverGroups: own(state.serverGroups).map(({ id, name }) => ({ id, name })),
      ports: own(state.ports).map((port) => ({
        id: port.id,
        name: port.name,
        addresses: port.fixedIps.map((ip) => ip.ip_address),
      })),
      networks: own(state.networks).map(({ id, name }) => ({ id, name })),
      subnets: own(state.subnets).map(({ id, name }) => ({ id, name })),
      floatingIps: own(state.floatingIps).map(({ id, address }) => ({ id, address })),
      securityGroups: own(state.securityGroups)
        .filter((group) => group.name !== 'default')
        .map(({ id, name }) => ({ id, name })),
      volumes: own(state.volumes).map(({ id, name, status }) => ({ id, name, status })),
      images: [...state.images.values()]
        .filter((image) => image.owner === project.id)
        .map(({ id, name, status, tags }) => ({ id, name, status, tags: [...tags] })),
    };
  });
}
