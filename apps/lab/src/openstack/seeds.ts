import { Readable } from 'node:stream';
import type { LabNetwork } from '../machine-fleet.js';
import { stableUuid } from './state/ids.js';
import type { Glance } from './image/glance.js';
import type { Keystone } from './identity/keystone.js';
import type { Neutron } from './network/neutron.js';
import { parseCidr } from './network/addresses.js';
import type { FlavorSeed, ImageSeed, NetworkSeed, TenantSeed } from './options.js';
import type { CloudState } from './state/state.js';

export const LAB_NETWORK = 'net0';

/** Projects and users: the administrators', two tenants', and the VNFM's among the services. */
export function seedIdentity(keystone: Keystone, adminPassword: string, tenants: TenantSeed[], vnfm: TenantSeed): void {
  keystone.seed('admin', 'admin', adminPassword, ['admin', 'reader', 'member']);
  for (const one of tenants) keystone.seed(one.project, one.user, one.password, ['reader', 'member', 'heat_stack_owner']);
  keystone.seed(vnfm.project, vnfm.user, vnfm.password, ['service']);
}

/** The lab's network and the others, with ids that are the same at every start. @returns the lab network's id. */
export function seedNetworks(
  neutron: Neutron,
  state: CloudState,
  adminProject: string,
  lab: LabNetwork,
  more: NetworkSeed[],
): string {
  const all = [{ name: LAB_NETWORK, ...lab }, ...more];
  for (const seed of all) {
    const id = stableUuid('network', seed.name);
    if (state.networks.has(id)) continue;
    neutron.createNetwork(
      { name: seed.name, projectId: adminProject, shared: true, external: 'external' in seed && seed.external },
      id,
    );
    const { gateway, firstAddress, lastAddress } = seed;
    const pools =
      firstAddress === undefined || lastAddress === undefined ? undefined : [{ start: firstAddress, end: lastAddress }];
    neutron.createSubnet(
      {
        name: seed.name === LAB_NETWORK ? 'subnet0' : `sub${seed.name}`,
        projectId: adminProject,
        networkId: id,
        cidr: seed.cidr,
        ...(gateway === undefined ? {} : { gatewayIp: gateway }),
        ...(pools === undefined ? {} : { pools }),
      },
      stableUuid('subnet', seed.name),
    );
  }
  checkLabNetwork(lab, state);
  return stableUuid('network', LAB_NETWORK);
}

/** A lab whose kept state has addresses of another network can't go on with them. */
function checkLabNetwork(lab: LabNetwork, state: CloudState): void {
  const kept = state.subnets.get(stableUuid('subnet', LAB_NETWORK));
  const [one, other] = [parseCidr(kept?.cidr ?? ''), parseCidr(lab.cidr)];
  if (kept === undefined || one?.first === other?.first) return;
  const networkId = stableUuid('network', LAB_NETWORK);
  const inUse = [...state.ports.values()].some((port) => port.networkId === networkId);
  if (inUse) {
    throw new Error(
      `the kept state has ports in ${kept.cidr}, but the lab's network is ${lab.cidr} now; start the lab on ${kept.cidr} or remove its data folder`,
    );
  }
  kept.cidr = lab.cidr;
  kept.gatewayIp = lab.gateway;
  kept.pools = [{ start: lab.firstAddress, end: lab.lastAddress }];
  kept.lastGiven = null;
}

export function seedFlavors(state: CloudState, flavors: FlavorSeed[]): void {
  for (const seed of flavors) {
    const id = stableUuid('flavor', seed.name);
    state.flavors.set(id, { id, ...seed, ephemeral: 0, swap: 0, isPublic: true, extraSpecs: {} });
  }
}

/** Public images; one that was kept with its content stays. */
export async function seedImages(
  glance: Glance,
  state: CloudState,
  adminProject: string,
  images: (ImageSeed | string)[],
): Promise<void> {
  for (const seed of images) {
    const { name, content } = typeof seed === 'string' ? { name: seed, content: undefined } : seed;
    const id = stableUuid('image', name);
    if (state.images.has(id)) continue;
    const image = glance.create(adminProject, { id, name, visibility: 'public', diskFormat: 'raw', containerFormat: 'bare' });
    await glance.upload(image, Readable.from([Buffer.from(content ?? new Uint8Array(65_536))]));
  }
}
