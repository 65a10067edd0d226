import { seconds, TransientError, type JsonObject } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared, type Noted } from '../cluster/action.js';
import { change, isAsWanted, withBackEnd } from './configuration.js';
import { isFrontend, type ExposedPorts } from './exposed-ports.js';
import type { ExternalLbContext } from './external-lb-context.js';
import type { AskedExternalLbInput } from './external-lb-input.js';
import { NODE_PORTS, opened, type NodePortFrontend } from './haproxy.js';
import { recordIn } from './note-exposed-ports.action.js';
import { CONFIGURATION_FILE } from './scripts.js';

type Context = ExternalLbContext<AskedExternalLbInput>;

/** Opens on a recreated load balancer the ports of Services that were open on the previous one, and no others. */
export const restoreNodePorts = implementAction(declared<AskedExternalLbInput, Noted>('restore-node-ports'), {
  apply: async (context: Context): Promise<Noted> => {
    const { name } = context.machine;
    const record = await recordIn(context);
    const services = await servicesOf(context);
    if (record === 'unknown') return { notes: nothingKnown(name, services) };
    const { open, closed } = restorable(record, services);
    const wanted = (text: string | undefined): string => opened(withBackEnd(text, name), open);
    if (open.length > 0 && !(await isAsWanted(context, wanted))) await change(context, 'restore-node-ports', wanted);
    return { notes: notesOf(name, { open, closed, others: record.others }) };
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});

async function servicesOf({ api }: Context): Promise<NodePortFrontend[]> {
  let why = 'no answer';
  const services = await api.ask(cmd`get services --all-namespaces -o json`, (said) => (why = said));
  if (services !== undefined) return nodePortsIn(services).filter(isFrontend);
  throw new TransientError('cluster.no-services', `the cluster does not say which Services it has: ${why}`);
}

/** The members of a Service of the API that are read here. */
interface Service {
  metadata: { name: string; namespace: string };
  spec: { type?: string; ports?: { nodePort?: number; protocol?: string }[] };
}

/** The TCP ports of Services of the type NodePort: HAProxy passes on nothing else. */
export function nodePortsIn(list: JsonObject): NodePortFrontend[] {
  const { items = [] } = list as { items?: unknown[] };
  return (items as Service[]).flatMap(({ metadata, spec }) => {
    if (spec.type !== 'NodePort') return [];
    const tcp = (spec.ports ?? []).filter(({ protocol = 'TCP', nodePort }) => protocol === 'TCP' && nodePort !== undefined);
    const ports = tcp.map(({ nodePort = 0 }) => nodePort);
    return ports.length === 0 ? [] : [{ name: `${metadata.namespace}_${metadata.name}`, ports }];
  });
}

/**
 * The ports, of those that were open, that lead to a Service now. A frontend named `<namespace>_<name>` gets only the ports of that Service, a
 * frontend of any other name those of all Services. The port of a Service that is gone may belong to another Service by now, for which nobody has
 * opened it.
 */
export function restorable(
  { frontends }: Pick<ExposedPorts, 'frontends'>,
  services: readonly NodePortFrontend[],
): { open: NodePortFrontend[]; closed: NodePortFrontend[] } {
  const owners = new Map(services.flatMap(({ name, ports }) => ports.map((port) => [port, name] as const)));
  const leads = (name: string, port: number): boolean => {
    const owner = owners.get(port);
    return name.includes('_') ? owner === name : owner !== undefined;
  };
  const of = (wanted: boolean) =>
    frontends.flatMap((frontend) => {
      const found = frontend.ports.filter((port) => leads(frontend.name, port) === wanted);
      return found.length === 0 ? [] : [{ ...frontend, ports: found }];
    });
  return { open: of(true), closed: of(false) };
}

/** The most that a note names. */
const MOST_NAMED = 20;

function named(frontends: readonly NodePortFrontend[]): string {
  const each = frontends.slice(0, MOST_NAMED).map(({ name, ports }) => `${name.replace('_', '/')} (${ports.join(', ')})`);
  const more = frontends.length - each.length;
  return `${each.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

function notesOf(
  name: string,
  { open, closed, others }: { open: NodePortFrontend[]; closed: NodePortFrontend[]; others: string[] },
): string[] {
  const anew = `${name} was made anew`;
  return [
    ...(open.length === 0 ? [] : [`${anew}: it serves the ports of Services that were open before: ${named(open)}`]),
    ...(closed.length === 0
      ? []
      : [
          `${anew}: these ports were open before and lead to no such Service of the type NodePort now, so they stay closed: ${named(closed)}`,
        ]),
    ...(others.length === 0
      ? []
      : [
          `${anew}: these frontends of before had lines of their own (an address, a filter, a certificate) and are not there any more: ${others.slice(0, MOST_NAMED).join(', ')}. Write them into ${CONFIGURATION_FILE} again`,
        ]),
  ];
}

/** Notes for a cluster of an older release whose load balancer died before its ports were recorded. */
function nothingKnown(name: string, services: readonly NodePortFrontend[]): string[] {
  if (services.length === 0) return [];
  const how = `"frontend <namespace>_<name>" with "mode tcp", "bind *:<port>" and "default_backend ${NODE_PORTS}" in ${CONFIGURATION_FILE} on ${name}, then "systemctl reload haproxy"`;
  return [
    `${name} was made anew, and nobody has noted which ports of Services were open on the one before it: none is open. Services of the type NodePort: ${named(services)}. To open one: ${how}`,
  ];
}
