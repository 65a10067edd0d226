import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import type { KubeApi } from '@windlass/driver-kit';
import { isInstanceId, NODE_PORTS, openedBy, sectionsOf, type NodePortFrontend } from './haproxy.js';

/** The ports of a cluster that its external load balancer opened outward when a step last looked. */
export interface ExposedPorts {
  /** Frontends that pass ports on to the nodes, and do nothing else. */
  frontends: NodePortFrontend[];
  /** Names of the frontends with lines that we could not write again: an address, a filter, a certificate. */
  others: string[];
}

/** {@link ExposedPorts}, as the cluster keeps them. */
export interface RecordedPorts extends ExposedPorts {
  /** Nova's id of the server on which the ports were seen. A server that replaces it has none of them until `restore-node-ports`. */
  server: string;
}

/** The ConfigMap of kube-system that keeps it. */
const RECORD = 'windlass-external-lb';

/** NodePorts are 30000 to 32767, unless an administrator chose otherwise. A machine or a person may have written anything. */
const MOST_PORTS = 2_768;
const MOST_FRONTENDS = 1_000;

/** Namespace and name of a Service, or what a person calls a frontend. */
const NAME = /^[A-Za-z0-9_.:-]{1,253}$/;

/** Lines of a frontend that restrict nobody: without them, the frontend serves the same. */
const PLAIN = /^(mode tcp|option (tcplog|dontlognull|tcpka|clitcpka)|(log|timeout|maxconn|description)\s.*)$/;
const LEADS = new RegExp(`^default_backend\\s+${NODE_PORTS}$`);
const BINDS = /^bind\s+(\S+)$/;
const EVERYWHERE = /^(?:\*|0\.0\.0\.0|::|\[::\])?:(\d{1,5})$/;

/** What HAProxy's file opens of the cluster's ports. */
export function exposedIn(text: string): ExposedPorts {
  const found: ExposedPorts = { frontends: [], others: [] };
  for (const { kind, name, lines } of sectionsOf(text)) {
    if (kind !== 'frontend' || !lines.some((line) => line.split(/\s+/).includes(NODE_PORTS))) continue;
    if (!NAME.test(name)) continue;
    const ports = portsOf(lines);
    if (ports === undefined) found.others.push(name);
    else if (ports.length > 0) found.frontends.push({ name, ports, ...by(openedBy(lines)) });
  }
  return bounded(found);
}

/** The VNF that has opened a frontend, so that the restored frontend is that VNF's again. */
const by = (vnf: unknown): Pick<NodePortFrontend, 'vnf'> => (isInstanceId(vnf) ? { vnf } : {});

/** The ports that a frontend opens to everyone; undefined where it does more than that. */
function portsOf(lines: readonly string[]): number[] | undefined {
  const ports: number[] = [];
  for (const line of lines) {
    if (PLAIN.test(line) || LEADS.test(line)) continue;
    const bound = BINDS.exec(line)?.[1]
      ?.split(',')
      .map((each) => Number(EVERYWHERE.exec(each)?.[1] ?? 0));
    if (bound?.every(isPort) !== true) return undefined;
    ports.push(...bound);
  }
  return ports;
}

/** Whether a frontend is fit to stand in HAProxy's file, and in a message. */
export const isFrontend = ({ name, ports }: NodePortFrontend): boolean => isName(name) && ports.every(isPort);

const isPort = (port: unknown): port is number =>
  typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65_535;

/** At most as many ports as there can be; ports beyond that are not restored. */
function bounded({ frontends, others }: ExposedPorts): ExposedPorts {
  let left = MOST_PORTS;
  const kept = frontends.slice(0, MOST_FRONTENDS).flatMap((frontend) => {
    const fitting = [...new Set(frontend.ports)].slice(0, left);
    left -= fitting.length;
    return fitting.length === 0 ? [] : [{ ...frontend, ports: fitting }];
  });
  return { frontends: kept, others: others.slice(0, MOST_FRONTENDS) };
}

/** The object by which the cluster keeps it. */
export const exposedRecord = ({ server, frontends, others }: RecordedPorts): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: RECORD, namespace: 'kube-system', labels: { 'app.kubernetes.io/managed-by': 'windlass' } },
  data: { server, frontends: JSON.stringify(frontends), others: JSON.stringify(others) },
});

/**
 * The record that the cluster keeps of the ports; `unknown` where it has none. Anybody may have written the record, so names and ports are read only
 * where they are valid.
 * @returns undefined while the cluster does not answer
 */
export async function recordedPorts(
  api: Pick<KubeApi, 'ask'>,
  seen: (why: string) => void = () => undefined,
): Promise<RecordedPorts | 'unknown' | undefined> {
  let said = '';
  const record = await api.ask(cmd`-n kube-system get configmap ${RECORD} -o json`, (why) => {
    said = why;
    seen(why);
  });
  if (record === undefined) return said.includes('(NotFound)') ? 'unknown' : undefined;
  const { server, frontends, others } = isJsonObject(record.data) ? record.data : {};
  const listed = parsed(frontends);
  if (listed === undefined) return 'unknown';
  const exposed = bounded({ frontends: listed.flatMap(frontendOf), others: (parsed(others) ?? []).filter(isName) });
  return { server: typeof server === 'string' ? server : '', ...exposed };
}

const isName = (name: unknown): name is string => typeof name === 'string' && NAME.test(name);

function frontendOf(value: Json): NodePortFrontend[] {
  if (!isJsonObject(value) || !isName(value.name) || !Array.isArray(value.ports)) return [];
  return [{ name: value.name, ports: value.ports.filter(isPort), ...by(value.vnf) }];
}

/** A list in the record. Any administrator of the cluster may have written the text. */
function parsed(text: Json | undefined): Json[] | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as Json[]) : undefined;
  } catch {
    return undefined;
  }
}
