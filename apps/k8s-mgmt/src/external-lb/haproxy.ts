import { API_PORT } from '@windlass/driver-kit';
import { withoutEnd } from '@windlass/foundation';
import { serverWords } from '../balancer/load-balancer.js';
import { sections } from '../balancer/sections.js';
import { fitting } from '../node/given-words.js';
import type { Route, Routes } from './external-lb-input.js';

/** Where the cluster's API is reached on an external load balancer. */
export const EXTERNAL_LB_PORT = 8383;

/** The back end whose servers receive connections to ports of Services. Packages' scripts use the same name. */
export const NODE_PORTS = 'kubernetes-nodeport';

/** Our back end of the API. */
const API = 'kubernetes-api';

/** The first line of a file that is ours. */
export const MARK = '# windlass: the external load balancer of a cluster';

/** The kubelet's port. Each node has a kubelet, so a node that does not answer there is gone. */
const NODE_ANSWERS_AT = 10_250;

/** Words that begin a section of HAProxy's configuration. */
const SECTIONS = new Set([
  ...['global', 'defaults', 'frontend', 'backend', 'listen', 'peers', 'resolvers', 'mailers', 'userlist', 'program'],
  ...['http-errors', 'cache', 'ring', 'log-forward', 'fcgi-app', 'crt-store', 'traces'],
]);

/** A frontend for the ports of a Service, which are the same here and on the nodes. */
export interface NodePortFrontend {
  /** `<namespace>_<name>` */
  name: string;
  ports: number[];
  /** The id of the VNF instance of containers that has opened the frontend; absent where a person or a script has. */
  vnf?: string;
}

/**
 * HAProxy's configuration without routes, of lines that HAProxy 2.0 knows.
 * A server of {@link NODE_PORTS} has no port, so that HAProxy connects to the port that the client connected to. A check does need a port, and
 * HAProxy refuses the file without one: `default-server`, before the servers, gives it.
 */
const CONFIGURATION = `${MARK}
# Windlass changes the lines "server" of the two back ends; what else is here stays.
${sections('old')}
frontend kubernetes-api-external
    bind *:${EXTERNAL_LB_PORT}
    default_backend ${API}

backend ${API}
    balance leastconn
    option httpchk GET /readyz
    http-check expect rstatus ^(200|401|403)$
    default-server check-ssl verify none inter 2s fastinter 500ms downinter 1s fall 3 rise 3

backend ${NODE_PORTS}
    balance leastconn
    default-server port ${NODE_ANSWERS_AT} inter 2s fastinter 500ms downinter 1s fall 3 rise 1
`;

/** A file of ours with these routes. Where the file exists already, its other lines are kept. @throws as {@link checkRoutes} */
export function installed(text: string | undefined, { masters, workers }: Routes): string {
  const ours = text?.startsWith(MARK) === true ? text : CONFIGURATION;
  return serving(serving(ours, API, masters, API_PORT), NODE_PORTS, [...masters, ...workers]);
}

/**
 * The file with the ports of Services passed on to exactly these nodes; undefined where the file has no back end for Services.
 * @throws as {@link checkRoutes}
 */
export function routed(text: string, nodes: readonly Route[]): string | undefined {
  return sectionOf(text.split('\n'), 'backend', NODE_PORTS) === undefined ? undefined : serving(text, NODE_PORTS, nodes);
}

/** Sets the lines `server` of a back end to exactly these routes. Lines that fit are kept, and a new line has their options. */
function serving(text: string, backend: string, routes: readonly Route[], port?: number): string {
  const lines = text.split('\n');
  const section = sectionOf(lines, 'backend', backend);
  if (section === undefined) return text;
  const within = lines.slice(section.from, section.to);
  const servers = within.map(serverOf);
  const like = servers.find((server) => server !== undefined);
  const wanted = routes.map((route) => {
    const words = serverWords(route);
    return { route, words, there: servers.findIndex((server) => server?.address === words.address) };
  });
  const kept = new Set(wanted.map(({ there }) => there));
  const names = new Set(servers.filter((_, at) => kept.has(at)).map((server) => server?.name));
  const added = wanted
    .filter(({ there }) => there === -1)
    .map(({ route, words: { name, address } }) => {
      const ending = like?.ending ?? `${port === undefined ? '' : `:${port}`} check`;
      return `${like?.indent ?? '    '}server ${names.has(name) ? `node-${route.address}` : name} ${address}${ending}`;
    });
  const left = within.filter((_, at) => servers[at] === undefined || kept.has(at));
  const last = left.findLastIndex((line) => serverOf(line) !== undefined);
  const at = last === -1 ? left.findLastIndex((line) => line.trim() !== '') : last;
  return [...lines.slice(0, section.from), ...left.toSpliced(at + 1, 0, ...added), ...lines.slice(section.to)].join('\n');
}

/**
 * The file with frontends added. A frontend whose name exists already is left out, and so is a port that is bound already.
 * @throws as {@link checkFrontend}
 */
export function opened(text: string, frontends: readonly NodePortFrontend[]): string {
  frontends.forEach(checkFrontend);
  const lines = text.split('\n');
  const bound = new Set(lines.map((line) => /^\s*bind\s+\S*:(\d+)/.exec(line)?.[1]));
  const missing = frontends.flatMap((frontend) => {
    const free = frontend.ports.filter((port) => !bound.has(String(port)));
    if (free.length === 0 || sectionOf(lines, 'frontend', frontend.name) !== undefined) return [];
    return [{ ...frontend, ports: free }];
  });
  return withFrontends(text, missing);
}

/**
 * The beginning of the line by which a frontend says which VNF has opened it. HAProxy shows a description with its statistics, and ignores it
 * otherwise.
 */
const OPENED_BY = 'description windlass-vnf';

/** The instance that has opened a frontend, by its lines. */
export function openedBy(lines: readonly string[]): string | undefined {
  const line = lines.find((each) => each.startsWith(`${OPENED_BY} `));
  const id = line?.slice(OPENED_BY.length + 1).trim() ?? '';
  return isInstanceId(id) ? id : undefined;
}

/** Whether an id may stand in HAProxy's file. */
export const isInstanceId = (id: unknown): id is string =>
  typeof id === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);

/** The same file with these at its end, each after an empty line. */
export function withFrontends(text: string, frontends: readonly NodePortFrontend[]): string {
  const added = frontends.map(({ name, ports, vnf }) => {
    const binds = ports.map((port) => `    bind *:${port}\n`).join('');
    const by = vnf === undefined ? '' : `    ${OPENED_BY} ${vnf}\n`;
    return `\nfrontend ${name}\n    mode tcp\n${by}${binds}    default_backend ${NODE_PORTS}\n`;
  });
  return added.length === 0 ? text : `${withoutEnd(text, '\n')}\n${added.join('')}`;
}

/** The file without the frontends for which `goes` is true, each with the empty line before it. Comments after them stay. */
export function withoutFrontends(text: string, goes: (section: Section) => boolean): string {
  let lines = text.split('\n');
  for (const section of sectionsOf(text)) {
    if (section.kind !== 'frontend' || !goes(section)) continue;
    const { from, to } = sectionOf(lines, 'frontend', section.name) ?? { from: 0, to: 0 };
    const last = lines.slice(from, to).findLastIndex((line) => line.trim() !== '' && !line.trim().startsWith('#'));
    const first = lines[from - 1]?.trim() === '' ? from - 1 : from;
    lines = [...lines.slice(0, first), ...lines.slice(from + last + 1)];
  }
  return lines.join('\n');
}

/** @throws TerminalError `balancer.bad-name`, `balancer.bad-port` */
export function checkFrontend({ name, ports }: NodePortFrontend): void {
  fitting('balancer', 'name', name, 'the name of a frontend, a Service’s namespace and name,');
  for (const port of ports) fitting('balancer', 'port', port, `a port of the Service ${name}`);
}

/** @throws TerminalError `balancer.bad-name`, `balancer.bad-address` */
export function checkRoutes(nodes: readonly Route[]): void {
  nodes.forEach(serverWords);
}

/** A section of HAProxy's file; its lines are trimmed, without comments and empty ones. */
export interface Section {
  kind: string;
  name: string;
  lines: string[];
}

export function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  for (const whole of text.split('\n')) {
    const line = whole.replace(/(^|\s)#.*$/, '').trim();
    const [kind = '', name = ''] = line.split(/\s+/);
    if (SECTIONS.has(kind)) sections.push({ kind, name, lines: [] });
    else if (line !== '') sections.at(-1)?.lines.push(line);
  }
  return sections;
}

/** Lines of a section, its first one among them. */
function sectionOf(lines: readonly string[], kind: string, name: string): { from: number; to: number } | undefined {
  const words = (line: string): string[] => line.trim().split(/\s+/);
  const from = lines.findIndex((line) => words(line)[0] === kind && words(line)[1] === name);
  if (from === -1) return undefined;
  const next = lines.findIndex((line, at) => at > from && SECTIONS.has(words(line)[0] ?? ''));
  return { from, to: next === -1 ? lines.length : next };
}

function serverOf(line: string): { indent: string; name: string; address: string; ending: string } | undefined {
  const [, indent = '', name = '', address = '', ending = ''] =
    /^(\s*)server\s+(\S+)\s+((?:\d{1,3}\.){3}\d{1,3}|\[[\dA-Fa-f:.]{2,45}\])(.*)$/.exec(line) ?? [];
  return address === '' ? undefined : { indent, name, address, ending };
}
