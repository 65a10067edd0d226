import { days } from '@windlass/foundation';
import { novaService } from './compute/nova-api.js';
import { Nova } from './compute/nova.js';
import { Faults } from './faults/faults.js';
import { labServices } from './faults/lab-api.js';
import { Engine } from './heat/engine.js';
import { heatService } from './heat/heat-api.js';
import { Heat } from './heat/heat.js';
import type { Cloud } from './heat/resources/resource-type.js';
import { StackLog } from './heat/stack-log.js';
import { Works } from './heat/works.js';
import { EmulatorServer, type ServedRequest } from './server.js';
import type { Service } from './http/service.js';
import { keystoneService } from './identity/keystone-api.js';
import { Keystone } from './identity/keystone.js';
import { glanceService } from './image/glance-api.js';
import { Glance } from './image/glance.js';
import { inventoryOf } from './state/inventory.js';
import { FloatingIps } from './network/floating-ips.js';
import { neutronService } from './network/neutron-api.js';
import { Neutron } from './network/neutron.js';
import {
  defaultComputeHosts,
  defaultFlavors,
  defaultImages,
  defaultNetwork,
  defaultNetworks,
  type EmulatorOptions,
  type TenantSeed,
} from './options.js';
import { seedFlavors, seedIdentity, seedImages, seedNetworks } from './seeds.js';
import type { CloudState } from './state/state.js';
import { cinderService } from './volume/cinder-api.js';
import { Cinder } from './volume/cinder.js';

/** What each step of a stack takes at speed `lab`: long enough to see it on the way. */
const LAB_PACE_MS = 100;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
const INSTANT_CONFLICT_PAUSE_MS = 10;

export interface People {
  tenant: TenantSeed;
  secondTenant: TenantSeed;
  admin: TenantSeed;
  /** The VNFM as Keystone knows it: it may validate tokens. */
  vnfm: TenantSeed;
}

export interface AssemblyInput {
  options: EmulatorOptions;
  state: CloudState;
  people: People;
  labToken: string;
  imageDir: string;
  changed: () => void;
  served: (request: ServedRequest) => void;
  broken: (error: unknown) => void;
}

/** The parts of a running emulator that it must hold on to. */
export interface Assembly {
  server: EmulatorServer;
  keystone: Keystone;
  engine: Engine;
  nova: Nova;
  faults: Faults;
}

/** Puts the services together over one state. Nothing listens yet. */
export async function assemble(input: AssemblyInput): Promise<Assembly> {
  const { options, state, people } = input;
  const changed = (): void => input.changed();
  const keystone = new Keystone(state, options.tokenLife ?? days(1));
  const faults = new Faults(() => keystone.expireAll());
  seedIdentity(keystone, people.admin.password, [people.tenant, people.secondTenant], people.vnfm);
  const where: { server?: EmulatorServer } = {};
  const cloud = await cloudOf(input, keystone, faults, () => where.server?.base ?? '');
  const works = new Works(cloud.cloud);
  const log = new StackLog(changed);
  const isLab = options.speed === 'lab';
  const engineOptions = {
    pace: isLab ? LAB_PACE_MS : 0,
    conflictPause: isLab ? SECOND_MS : INSTANT_CONFLICT_PAUSE_MS,
    clock: options.clock ?? Date.now,
    minute: MINUTE_MS,
  };
  const engine = new Engine(works, log, faults, engineOptions);
  const heat = new Heat(state, works, engine, log);
  const services = [
    keystoneService(keystone),
    heatService(heat),
    ...cloud.services,
    ...labServices({ token: input.labToken, faults, inventory: () => inventoryOf(state) }),
  ];
  const server = new EmulatorServer({
    services,
    faults,
    sessionOf: (token) => keystone.session(token),
    changed,
    served: (request) => input.served(request),
    broken: (error) => input.broken(error),
  });
  where.server = server;
  return { server, keystone, engine, nova: cloud.cloud.nova, faults };
}

/** Nova, Neutron, Glance and Cinder with what is there from the start. */
async function cloudOf(
  { options, state, imageDir, changed }: AssemblyInput,
  keystone: Keystone,
  faults: Faults,
  base: () => string,
): Promise<{ cloud: Cloud; services: Service[] }> {
  const { checkQuota } = faults;
  const adminProject = keystone.projectNamed('admin')?.id ?? '';
  const neutron = new Neutron(state);
  const lab = options.network ?? defaultNetwork;
  const labNetworkId = seedNetworks(neutron, state, adminProject, lab, options.networks ?? defaultNetworks);
  seedFlavors(state, options.flavors ?? defaultFlavors);
  const glance = new Glance(state, imageDir);
  await seedImages(glance, state, adminProject, options.images ?? defaultImages);
  const cinder = new Cinder(state);
  const hosts = options.computeHosts ?? defaultComputeHosts;
  const powerDelay = (name: string): number => faults.powerDelay(name);
  const { fleet, clock = Date.now } = options;
  const nova = new Nova({ state, neutron, cinder, fleet, hosts, labNetworkId, powerDelay, clock, changed });
  const floatingIps = new FloatingIps(state, neutron);
  return {
    cloud: { state, nova, neutron, floatingIps, glance, cinder, base, checkQuota },
    services: [
      novaService({ state, nova, hosts, showHost: options.showHost ?? false }),
      neutronService({ state, neutron, floatingIps, checkQuota }),
      glanceService(glance),
      cinderService({ state, cinder, glance, checkQuota }),
    ],
  };
}
