import { TerminalError } from '@windlass/foundation';
import {
  checkFrontend,
  EXTERNAL_LB_PORT,
  NODE_PORTS,
  openedBy,
  sectionsOf,
  withFrontends,
  withoutFrontends,
  type NodePortFrontend,
  type Section,
} from '../external-lb/haproxy.js';

// HAProxy's file on a balancer that many VNFs of containers share. Pure.

/** Which VNF a file is changed for, and on which balancer, for messages. */
export interface OfVnf {
  vnf: string;
  balancer: string;
}

/**
 * The file with exactly these frontends of the VNF. Frontends of others stay.
 * @throws TerminalError `external-lb.port-taken` naming who has a port or a name, `balancer.bad-name`, `balancer.bad-port`
 */
export function exposed(text: string, frontends: readonly NodePortFrontend[], of: OfVnf): string {
  frontends.forEach(checkFrontend);
  const own = sectionsOf(text).filter((section) => isOf(section, of.vnf));
  const isOpen = ({ name, ports }: NodePortFrontend): boolean =>
    own.some((section) => section.name === name && isSame(portsOf(section), ports));
  if (own.length === frontends.length && frontends.every(isOpen)) return text;
  const rest = closed(text, of.vnf);
  refuseTaken(rest, frontends, of);
  return withFrontends(
    rest,
    frontends.map((frontend) => ({ ...frontend, vnf: of.vnf })),
  );
}

/** The file without the VNF's frontends. */
export const closed = (text: string, vnf: string): string => withoutFrontends(text, (section) => isOf(section, vnf));

/**
 * The file without the VNF's own frontends, and without frontends of these names that a package's script wrote: those lead to the nodes, and belong
 * to no other VNF.
 */
export const closedNamed = (text: string, frontends: readonly NodePortFrontend[], vnf: string): string =>
  withoutFrontends(text, (section) => isScripts(section, frontends, vnf) || isOf(section, vnf));

/** Whether the file has these frontends, whoever wrote them. */
export const isOpenIn = (text: string, frontends: readonly NodePortFrontend[]): boolean =>
  frontends.every(({ name, ports }) =>
    sectionsOf(text).some((section) => {
      const bound = section.kind === 'frontend' && section.name === name && leads(section) ? portsOf(section) : [];
      return ports.every((port) => bound.includes(port));
    }),
  );

/**
 * @param mayHave whether frontends of these names count as the VNF's own: a package's script does not note whose they are
 * @throws TerminalError `external-lb.port-taken`
 */
export function refuseTaken(text: string, frontends: readonly NodePortFrontend[], of: OfVnf, mayHave = false): void {
  const others = sectionsOf(text).filter(
    (section) => !isOf(section, of.vnf) && !(mayHave && isScripts(section, frontends, of.vnf)),
  );
  for (const { name, ports } of frontends) {
    const namesake = others.find((section) => section.kind === 'frontend' && section.name === name);
    if (namesake !== undefined) throw taken(`there is a frontend ${name} already, ${whose(namesake)}`, of);
    for (const port of ports) {
      const holder = others.find((section) => rangesOf(section).some(({ from, to }) => from <= port && port <= to));
      if (holder !== undefined)
        throw taken(
          `port ${port} of ${name.replace('_', '/')} is taken by the ${holder.kind} ${holder.name}, ${whose(holder)}`,
          of,
        );
    }
  }
}

const taken = (what: string, { balancer }: OfVnf): TerminalError =>
  new TerminalError(
    'external-lb.port-taken',
    `on the load balancer ${balancer} ${what}. Close it there, or give the Service another nodePort in its manifest`,
  );

function whose(section: Section): string {
  const vnf = openedBy(section.lines);
  if (vnf !== undefined) return `of VNF instance ${vnf}`;
  const ofApi = rangesOf(section).some(({ from, to }) => from <= EXTERNAL_LB_PORT && EXTERNAL_LB_PORT <= to);
  return ofApi ? 'by which the API of the cluster is reached' : 'which Windlass has not written';
}

const isOf = (section: Section, vnf: string): boolean => section.kind === 'frontend' && openedBy(section.lines) === vnf;

const isScripts = (section: Section, frontends: readonly NodePortFrontend[], vnf: string): boolean =>
  section.kind === 'frontend' &&
  leads(section) &&
  frontends.some(({ name }) => name === section.name) &&
  [undefined, vnf].includes(openedBy(section.lines));

const leads = ({ lines }: Section): boolean =>
  lines.some((line) => /^default_backend\s/.test(line) && line.split(/\s+/)[1] === NODE_PORTS);

const isSame = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((port) => other.includes(port));

const portsOf = (section: Section): number[] => rangesOf(section).flatMap(({ from, to }) => (from === to ? [from] : []));

/** The port ranges that a section binds, at any address: `bind :80,192.0.2.1:30000-30009 ssl`. */
const rangesOf = ({ lines }: Section): { from: number; to: number }[] =>
  lines.flatMap((line) => {
    const [word, addresses = ''] = line.split(/\s+/);
    if (word !== 'bind') return [];
    return addresses.split(',').flatMap((address) => {
      const [, from, to = from] = /:(\d{1,5})(?:-(\d{1,5}))?$/.exec(address) ?? [];
      return from === undefined ? [] : [{ from: Number(from), to: Number(to) }];
    });
  });
