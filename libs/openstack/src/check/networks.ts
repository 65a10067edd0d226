import { contains } from './address-ranges.js';
import type { NetworkFacts, Router, SubnetFacts } from '../neutron/surroundings-api.js';
import { commandLine, findingsOf, type Finding } from './findings.js';
import type { Look } from './look.js';
import type { NetworkNeed } from './vim-needs.js';

/** Below this, packets of pods (50 bytes less) get small enough to be noticed. */
const USUAL_MTU = 1_400;

/** A network that was found, with what lies on it. */
export interface FoundNetwork {
  need: NetworkNeed;
  network: NetworkFacts;
  subnets: SubnetFacts[];
}

/** The networks that the request names: those that are there, and what is wrong. */
export async function findNetworks(look: Look): Promise<{ found: FoundNetwork[]; findings: Finding[] }> {
  const found: FoundNetwork[] = [];
  const findings: Finding[] = [];
  for (const need of look.needs.networks) {
    const told = findingsOf('network.exists', need.name);
    const networks = await look.surroundings.networks(need.name);
    const [network] = networks;
    if (network === undefined)
      findings.push(
        told.failed(`there is no network of this name or id that project ${look.project} sees (${need.of.join(', ')})`, {
          todo: 'make it, share it with the project, or name another in the request',
          command: commandLine('openstack', 'network', 'create', need.name),
        }),
      );
    else if (networks.length > 1)
      findings.push(
        told.failed(`${networks.length} networks have this name: Heat refuses it (${need.of.join(', ')})`, {
          todo: 'name it by its id in the request',
          command: commandLine('openstack', 'network', 'list', '--name', need.name),
        }),
      );
    else {
      const subnets = await look.surroundings.subnets(network.id);
      found.push({ need, network, subnets });
      findings.push(...aboutNetwork(network, told));
      // The subnets of an external network are its owner's, and servers are seldom on it.
      if (!network.external || subnets.length > 0) findings.push(...aboutSubnets(need, network, subnets));
      if (need.outward) findings.push(...(await wayOut(look, need, network, subnets)));
    }
  }
  return { found, findings: [...findings, ...apart(look, found)] };
}

/** Ports that should be on one network, and are on two. */
function apart({ needs }: Look, found: readonly FoundNetwork[]): Finding[] {
  const networkOf = (name: string): NetworkFacts | undefined => {
    const wanted = needs.ports.find((port) => port.name === name)?.network;
    return found.find(({ need }) => need.name === wanted)?.network;
  };
  return needs.onOneNetwork.flatMap(({ port, beside }) => {
    const [one, other] = [networkOf(port), networkOf(beside)];
    if (one === undefined || other === undefined) return [];
    const told = findingsOf('vip.network', `${port}, ${beside}`);
    if (one.id === other.id) return [told.ok(`both on ${one.name}`)];
    return [
      told.failed(`${port} is on ${one.name}, and ${beside} on ${other.name}: its address can’t be held there`, {
        todo: 'connect both to one network: in the template, or by extVirtualLinks of the request',
      }),
    ];
  });
}

function aboutNetwork(network: NetworkFacts, told: ReturnType<typeof findingsOf>): Finding[] {
  const { id, mtu } = network;
  const state: Finding = network.adminStateUp
    ? told.ok(`${id}, ${network.status}`)
    : told.failed('its administrative state is down', {
        todo: 'switch it on',
        command: commandLine('openstack', 'network', 'set', '--enable', id),
      });
  const of = findingsOf('network.mtu', network.name);
  if (mtu === undefined || mtu === 0)
    return [state, of.note('Neutron does not tell the MTU', { todo: 'compare it on a server' })];
  return [
    state,
    mtu >= USUAL_MTU
      ? of.ok(`${mtu} bytes`)
      : of.warning(`${mtu} bytes: pods get 50 less of each packet`, {
          todo: 'raise it where the underlay carries more',
          command: commandLine('openstack', 'network', 'set', '--mtu', '1450', id),
        }),
  ];
}

function aboutSubnets(need: NetworkNeed, network: NetworkFacts, subnets: readonly SubnetFacts[]): Finding[] {
  const told = findingsOf('network.subnet', need.name);
  const v4 = subnets.filter(({ ipVersion }) => ipVersion === 4);
  const [first] = v4;
  if (first === undefined)
    return [
      told.failed('it has no IPv4 subnet: servers on it get no address', {
        todo: 'make one',
        command: commandLine(
          'openstack',
          'subnet',
          'create',
          '--network',
          network.id,
          '--subnet-range',
          '<cidr>',
          '--dns-nameserver',
          '<address>',
          '<name>',
        ),
      }),
    ];
  const missing = need.subnets.filter((wanted) => !subnets.some(({ id }) => id === wanted));
  const outside = need.addresses.filter((address) => !v4.some(({ cidr }) => contains(cidr, address)));
  return [
    ...(missing.length === 0 && outside.length === 0 ? [told.ok(v4.map(({ name, cidr }) => `${name} ${cidr}`).join(', '))] : []),
    ...missing.map((id) =>
      told.failed(`the request names subnet ${id}, which is not on it`, {
        todo: 'correct subnetId in the request',
        command: commandLine('openstack', 'subnet', 'list', '--network', network.id),
      }),
    ),
    ...outside.map((address) =>
      told.failed(`the request fixes ${address}, which lies in none of its subnets (${v4.map(({ cidr }) => cidr).join(', ')})`, {
        todo: 'correct fixedAddresses in the request',
        command: commandLine('openstack', 'subnet', 'list', '--network', network.id),
      }),
    ),
    ...v4.flatMap((subnet) => aboutSubnet(need, subnet)),
  ];
}

function aboutSubnet({ outward }: NetworkNeed, subnet: SubnetFacts): Finding[] {
  const name = subnet.name === '' ? subnet.id : subnet.name;
  const [dhcp, dns] = [findingsOf('network.dhcp', name), findingsOf('network.dns', name)];
  const set = (...words: string[]) => commandLine('openstack', 'subnet', 'set', ...words, subnet.id);
  return [
    subnet.dhcp
      ? dhcp.ok('on')
      : dhcp.warning('off: images that ask for their address by DHCP get none', { todo: 'switch it on', command: set('--dhcp') }),
    ...(!outward
      ? []
      : subnet.nameServers.length > 0
        ? [dns.ok(subnet.nameServers.join(', '))]
        : [
            dns.warning('no name servers: nodes find package and image repositories only where the DHCP agent forwards names', {
              todo: 'name some',
              command: set('--dns-nameserver', '<address>'),
            }),
          ]),
  ];
}

/** A router with an external gateway on each subnet that has one, as the guide makes it. */
async function wayOut(
  look: Look,
  { name }: NetworkNeed,
  network: NetworkFacts,
  subnets: readonly SubnetFacts[],
): Promise<Finding[]> {
  const told = findingsOf('network.router', name);
  if (network.external) return [told.ok('an external network: it needs no router of Neutron')];
  const ports = await look.surroundings.routerPorts(network.id);
  const ids = [...new Set(ports.map(({ routerId }) => routerId))];
  const routers = (await Promise.all(ids.map((id) => look.surroundings.router(id)))).flatMap((router) => router ?? []);
  const out = routers.find(({ gateway, adminStateUp }) => gateway !== undefined && adminStateUp);
  if (out !== undefined) return leadsOut(look, out, name, subnets);
  const [router] = routers;
  if (router !== undefined) return [withoutGateway(told, router, await publicName(look))];
  if (network.projectId !== look.token.projectId)
    return [
      told.warning('the network is another project’s: whether a router leads out of it can’t be seen', {
        todo: 'ask its owner, or look as an administrator',
        command: commandLine('openstack', 'port', 'list', '--network', network.id, '--device-owner', 'network:router_interface'),
      }),
    ];
  const [subnet] = subnets;
  return [
    told.failed('no router is on it: nodes reach no package and image repositories', {
      todo: `make a router with a gateway, as the guide does: "openstack router create", "openstack router set --external-gateway ${await publicName(look)}", then`,
      command: commandLine('openstack', 'router', 'add', 'subnet', '<router>', subnet?.id ?? '<subnet>'),
    }),
  ];
}

function withoutGateway(told: ReturnType<typeof findingsOf>, router: Router, publicNetwork: string): Finding {
  if (!router.adminStateUp)
    return told.failed(`router ${router.name} is switched off`, {
      todo: 'switch it on',
      command: commandLine('openstack', 'router', 'set', '--enable', router.id),
    });
  return told.failed(`router ${router.name} has no external gateway: nodes reach no package and image repositories`, {
    todo: 'give it one',
    command: commandLine('openstack', 'router', 'set', '--external-gateway', publicNetwork, router.id),
  });
}

function leadsOut(look: Look, router: Router, name: string, subnets: readonly SubnetFacts[]): Finding[] {
  const addresses = router.gateway?.addresses ?? [];
  const reach = findingsOf('network.reach', name);
  const way = addresses.find((address) => address.includes('.')) ?? '<gateway>';
  const cidr = subnets.find(({ ipVersion }) => ipVersion === 4)?.cidr ?? '<cidr>';
  // Where the nodes have floating addresses, these are what is connected to.
  const floating = (look.needs.amounts.now.floatingIps ?? 0) > 0;
  return [
    findingsOf('network.router', name).ok(`router ${router.name}, ${addresses.join(', ') || 'external gateway'}`),
    ...(floating || look.needs.flows.length === 0
      ? []
      : [
          reach.note(
            `nodes get addresses behind router ${router.name}: whether Windlass has a route to them can’t be seen from the VIM`,
            {
              todo: 'where k8s-mgmt and vim-registry run, unless there is one',
              command: commandLine('ip', 'route', 'add', cidr, 'via', way),
            },
          ),
        ]),
  ];
}

/** The external network, where there is exactly one. */
async function publicName(look: Look): Promise<string> {
  const external = await look.surroundings.externalNetworks();
  return external.length === 1 && external[0] !== undefined ? external[0].name : '<external network>';
}
