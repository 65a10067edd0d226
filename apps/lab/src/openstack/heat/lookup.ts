import { parseCidr, parseIpv4 } from '../network/addresses.js';
import type { Stack } from '../state/state.js';
import type { CustomCheck } from './template/parameters.js';
import type { Constraint, Lookup } from './template/properties.js';
import type { Cloud } from './resources/resource-type.js';

type Owner = Pick<Stack, 'projectId' | 'userId'>;
type Found = { id: string } | { problem: string };

const CUSTOM: Record<string, Constraint> = {
  'nova.flavor': 'flavor',
  'glance.image': 'image',
  'neutron.network': 'network',
  'neutron.subnet': 'subnet',
  'neutron.port': 'port',
  'cinder.volume': 'volume',
  'nova.keypair': 'keypair',
  'nova.server': 'server',
};

/** Finds what properties and parameters name, with the words that Heat uses where there is nothing of that name. */
export function lookupFor(cloud: Cloud, owner: Owner): Lookup {
  const { state, neutron, glance, nova } = cloud;
  const owned = <T extends { id: string; name: string | null; projectId: string }>(all: Map<string, T>, value: string) => {
    const own = [...all.values()].filter((one) => one.projectId === owner.projectId);
    return own.find((one) => one.id === value) ?? own.find((one) => one.name === value);
  };
  const orProblem = (found: { id: string } | undefined, problem: string): Found =>
    found === undefined ? { problem } : { id: found.id };
  const finders: Record<Constraint, (value: string) => Found> = {
    flavor: (value) => orProblem(nova.flavor(value), `No Flavor matching {'name': '${value}'}. (HTTP 404)`),
    image(value) {
      const [first, second] = glance.named(owner.projectId, value);
      if (second !== undefined) return { problem: `No images unique match found for {'name': '${value}'}.` };
      return orProblem(first, `No images matching {'name': '${value}'}.`);
    },
    network: (value) =>
      orProblem(neutron.findNetwork(owner.projectId, value), `Unable to find network with name or id '${value}'`),
    subnet(value) {
      const networks = new Set(neutron.networksOf(owner.projectId).map((network) => network.id));
      const seen = [...state.subnets.values()].filter((one) => networks.has(one.networkId));
      const found = seen.find((one) => one.id === value) ?? seen.find((one) => one.name === value);
      return orProblem(found, `Unable to find subnet with name or id '${value}'`);
    },
    port: (value) => orProblem(owned(state.ports, value), `Unable to find port with name or id '${value}'`),
    security_group(value) {
      if (value === 'default') return { id: neutron.defaultSecurityGroup(owner.projectId).id };
      return orProblem(owned(state.securityGroups, value), `Unable to find security_group with name or id '${value}'`);
    },
    volume: (value) => orProblem(owned(state.volumes, value), `The Volume (${value}) could not be found.`),
    server: (value) => orProblem(owned(state.servers, value), `The Server (${value}) could not be found.`),
    ip_addr: (value) => (parseIpv4(value) === undefined ? { problem: 'Invalid IP address' } : { id: value }),
    mac_addr: (value) => (/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(value) ? { id: value } : { problem: 'Invalid MAC address.' }),
    net_cidr: (value) =>
      parseCidr(value) === undefined ? { problem: `Invalid net cidr invalid IPNetwork ${value} ` } : { id: value },
    keypair: (value) =>
      state.keyPairs.has(`${owner.userId}/${value}`) ? { id: value } : { problem: `The Key (${value}) could not be found.` },
  };
  return (constraint, value) => finders[constraint](value);
}

/** The same for the custom constraints of parameters. */
export function customCheckFor(lookup: Lookup): CustomCheck {
  return (constraint, value) => {
    const known = CUSTOM[constraint];
    if (known === undefined) return undefined;
    const found = lookup(known, value);
    return 'problem' in found ? found.problem : undefined;
  };
}
