import type { SecurityGroupFacts } from '../neutron/surroundings-api.js';
import { commandLine, findingsOf, type Finding } from './findings.js';
import type { Look } from './look.js';
import type { FoundNetwork } from './networks.js';
import { passage, type Passage, type Peer } from './rule-arithmetic.js';
import type { Flow, PortNeed, SecurityRule } from './vim-needs.js';

/** A port to be, with what Neutron will filter it by. */
export interface FilteredPort {
  name: string;
  /** Ids in the VIM, and names of template groups. */
  groups: string[];
  /** Groups of the VIM, for commands. */
  inVim: { id: string; name: string }[];
  rules: SecurityRule[];
  cidrs: string[];
  /** False: Neutron filters nothing of it. */
  filtered: boolean;
}

/** Whether rules let pass what has to; groups of the templates count as those of the VIM. */
export async function checkSecurityGroups(look: Look, networks: readonly FoundNetwork[]): Promise<Finding[]> {
  const groups = await look.surroundings.securityGroups();
  const findings: Finding[] = [];
  const ports = look.needs.ports.map((port) => filtered(look, port, networks, groups, findings));
  findings.push(...ownersFindings(look, networks));
  for (const flow of look.needs.flows) findings.push(...flowFindings(flow, ports, look.needs.reachedFrom));
  return findings;
}

function filtered(
  look: Look,
  port: PortNeed,
  networks: readonly FoundNetwork[],
  all: readonly SecurityGroupFacts[],
  findings: Finding[],
): FilteredPort {
  const own = all.filter(({ projectId }) => projectId === look.token.projectId);
  const wanted = port.groups ?? (port.templateGroups.length > 0 ? [] : ['default']);
  const inVim = wanted.flatMap((name) => {
    const group = all.find(({ id }) => id === name) ?? own.find((one) => one.name === name);
    if (group === undefined) findings.push(absentGroup(port, name, look.project));
    return group ?? [];
  });
  const made = look.needs.groups.filter(({ name }) => port.templateGroups.includes(name));
  const network = networks.find(({ need }) => need.name === port.network);
  return {
    name: port.name,
    groups: [...inVim.map(({ id }) => id), ...made.map(({ name }) => name)],
    inVim: inVim.map(({ id, name }) => ({ id, name })),
    rules: [...inVim.flatMap(({ rules }) => rules as SecurityRule[]), ...made.flatMap(({ rules }) => rules)],
    cidrs: network?.subnets.filter(({ ipVersion }) => ipVersion === 4).map(({ cidr }) => cidr) ?? [],
    filtered: port.portSecurity && network?.network.portSecurity !== false,
  };
}

const absentGroup = (port: PortNeed, name: string, project: string): Finding =>
  findingsOf('security-group.exists', name).failed(
    `port ${port.name} wants it, and project ${project} has none of this name or id`,
    {
      todo: 'make it, or correct the template',
      command: commandLine('openstack', 'security', 'group', 'create', name),
    },
  );

/** One finding a flow: every port that it reaches must let it in from every peer. */
export function flowFindings(flow: Flow, ports: readonly FilteredPort[], reachedFrom: readonly string[]): Finding[] {
  const told = findingsOf(`security-group.${flow.name}`, words(flow));
  const reached = ports.filter(({ name }) => flow.ports.includes(name));
  if (reached.length === 0) return [];
  const filteredOnes = reached.filter((port) => port.filtered);
  if (filteredOnes.length === 0) return [told.ok('ports without port security: Neutron filters nothing')];
  const seen = filteredOnes.map((port) => ({ port, ...passage(port.rules, flow, peersOf(flow, port, ports, reachedFrom)) }));
  const bad = seen.filter(({ passes }) => passes !== 'all');
  if (bad.length === 0) return [told.ok(`${flow.what}: ${peerWords(flow)}, by ${groupWords(filteredOnes)}`)];
  return [missing(flow, told, bad, reachedFrom)];
}

function peersOf(flow: Flow, port: FilteredPort, ports: readonly FilteredPort[], reachedFrom: readonly string[]): Peer[] {
  // Where repositories are is not known: what goes out must go anywhere.
  if (flow.direction === 'egress') return [];
  if (flow.peer === 'outside') return reachedFrom.map((address) => ({ groups: [], cidrs: [address] }));
  // A node's peer in a group of several is a port like its own.
  const peers = ports.filter(({ name }) => flow.peers.includes(name));
  return (peers.length === 0 ? [port] : peers).map(({ groups, cidrs }) => ({ groups, cidrs }));
}

function missing(
  flow: Flow,
  told: ReturnType<typeof findingsOf>,
  bad: readonly (Passage & { port: FilteredPort })[],
  reachedFrom: readonly string[],
): Finding {
  const some = bad.every(({ passes }) => passes === 'some');
  const only = [...new Set(bad.flatMap((one) => one.only))].join('; ');
  const where = bad.map(({ port }) => port.name).join(', ');
  const says = `${flow.what}: ${words(flow)} ${peerWords(flow)} is not let ${flow.direction === 'ingress' ? 'in to' : 'out of'} ${where}${only === '' ? '' : ` (only ${only})`}`;
  const group = bad.flatMap(({ port }) => port.inVim)[0];
  const what = flow.required ? '' : '; the VNF comes up without it';
  const more =
    group === undefined
      ? { todo: `add the rule to the security group in the package’s template${what}` }
      : { todo: `add the rule to group ${group.name}${what}`, command: ruleCommand(flow, group.id) };
  // From where it is reached is not known: what is let in may be just that.
  const unsure = some && flow.peer === 'outside' && reachedFrom.length === 0 && bad.every((one) => hasPrefix(one));
  const depends = flow.direction === 'egress' ? 'where repositories are' : 'where Windlass and its users are (--from)';
  if (unsure) return told.warning(`${says}: whether that is enough depends on ${depends}`, more);
  return flow.required ? told.failed(says, more) : told.warning(says, more);
}

const hasPrefix = ({ only }: Passage): boolean => only.some((text) => /\d[.:/]/.test(text.replace(/^\S+ /, '')));

/** As the guide adds them. */
function ruleCommand(flow: Flow, group: string): string {
  const { min, max, protocol, direction } = flow;
  const port = min === undefined ? [] : ['--dst-port', min === max || max === undefined ? String(min) : `${min}:${max}`];
  const way = direction === 'egress' ? ['--egress'] : [];
  return commandLine('openstack', 'security', 'group', 'rule', 'create', ...way, '--protocol', protocol, ...port, group);
}

const words = ({ protocol, min, max }: Flow): string =>
  min === undefined ? protocol : `${protocol} ${min === max || max === undefined ? min : `${min}-${max}`}`;

const peerWords = ({ peer, direction }: Flow): string =>
  direction === 'egress' ? 'to anywhere' : peer === 'nodes' ? 'from the other nodes' : 'from outside';

const groupWords = (ports: readonly FilteredPort[]): string =>
  [...new Set(ports.flatMap(({ inVim, groups }) => [...inVim.map(({ name }) => name), ...groups.slice(inVim.length)]))].join(
    ', ',
  );

/** Attributes of ports that Neutron lets only a network's owner set: of another project's network, Heat is refused in the middle. */
function ownersFindings({ needs, token, project }: Look, networks: readonly FoundNetwork[]): Finding[] {
  if (token.roles.includes('admin')) return [];
  return needs.ports.flatMap((port) => {
    const network = networks.find(({ need }) => need.name === port.network)?.network;
    if (network === undefined || network.projectId === token.projectId) return [];
    return port.ownersAttributes.map((attribute) =>
      findingsOf('network.owner', `${port.name} ${attribute}`).warning(
        `network ${network.name} is another project’s: unless policy "create_port:${attribute}" says otherwise, only its owner may set ${attribute}`,
        {
          todo: `have the policy opened for project ${project}, or take a network of its own`,
          command: commandLine('openstack', 'network', 'show', network.id),
        },
      ),
    );
  });
}
