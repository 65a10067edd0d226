import { seconds, TransientError, type JsonObject } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { change, isAsWanted, withRoutes } from './configuration.js';
import { restoreNodePorts, type AskedExternalLbInput, type Noted } from './contracts.js';
import type { ExternalLbContext } from './external-lb-context.js';
import { checkFrontend, opened, type NodePortFrontend } from './haproxy.js';

type Context = ExternalLbContext<AskedExternalLbInput>;

/** Opens the ports of the cluster's Services of the type NodePort. */
export const restoreNodePortsWork = implementAction(restoreNodePorts, {
  apply: async (context: Context): Promise<Noted> => {
    const found = await frontendsOf(context);
    const wanted = (text: string | undefined): string => opened(withBackEnd(text, context), found);
    if (!(await isAsWanted(context, wanted))) await change(context, 'restore-node-ports', wanted);
    return { notes: notesOf(context.machine.name, found) };
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});

/** Frontends without the back end that they name would be refused. */
function withBackEnd(text: string | undefined, { machine: { name } }: Context): string {
  withRoutes(text, [], name);
  return text ?? '';
}

async function frontendsOf({ api }: Context): Promise<NodePortFrontend[]> {
  let why = 'no answer';
  const services = await api.ask(cmd`get services --all-namespaces -o json`, (said) => (why = said));
  if (services === undefined)
    throw new TransientError('cluster.no-services', `the cluster does not say which Services it has: ${why}`);
  const found = nodePortsIn(services);
  found.forEach(checkFrontend);
  return found;
}

/** What of a Service, as the API gives it, matters here. */
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

function notesOf(name: string, found: readonly NodePortFrontend[]): string[] {
  if (found.length === 0) return [];
  const each = found.map((frontend) => `${frontend.name.replace('_', '/')} (${frontend.ports.join(', ')})`);
  return [`${name} was made anew: it serves the ports of all Services of the type NodePort: ${each.join('; ')}`];
}
