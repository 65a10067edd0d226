import { isJsonObject, type InvalidParam, type Json, type JsonObject } from '@windlass/foundation';
import type { VimNetwork, VimPort } from '@windlass/messaging';
import type { OwnPorts } from './own-ports.js';

/** A port that a request hands in for a connection point. */
export interface PreparedPort {
  /** JSON pointer of its name or id. */
  path: string;
  name: string;
  /** The network that the request says it is on, by name or id. */
  network: string;
  cpdId: string;
}

/** Ports of `extLinkPorts` that a `cpConfig` names (SOL003 4.4.1.10a), once for each that does. */
export function preparedPortsIn(request: JsonObject): PreparedPort[] {
  return objectsIn(request.extVirtualLinks).flatMap(([link, l]) =>
    objectsIn(link.extCps).flatMap(([{ cpdId, cpConfig }]) =>
      objectsIn(cpConfig).flatMap(([{ linkPortId }]) =>
        objectsIn(link.extLinkPorts).flatMap(([{ id, resourceHandle }, p]): PreparedPort[] => {
          const name = isJsonObject(resourceHandle) ? resourceHandle.resourceId : undefined;
          if (linkPortId === undefined || id !== linkPortId || typeof name !== 'string' || name === '') return [];
          const path = `/extVirtualLinks/${l}/extLinkPorts/${p}/resourceHandle/resourceId`;
          return [{ path, name, network: textOf(link.resourceId), cpdId: textOf(cpdId) }];
        }),
      ),
    ),
  );
}

/** Faults of ports with which no server could be made. Nothing is known of a port that the VIM was not asked for. */
export function portFaults(
  named: readonly PreparedPort[],
  ports: readonly VimPort[],
  networks: readonly VimNetwork[],
  own: OwnPorts,
): InvalidParam[] {
  return named.flatMap((each, index) => {
    const before = named.slice(0, index).find(({ name }) => name === each.name);
    const reason =
      before === undefined
        ? wrongPort(each, { ports, networks, own })
        : `port ${each.name} is given to "${before.cpdId}" already: a port is one connection point's`;
    return reason === undefined ? [] : [{ path: each.path, reason }];
  });
}

function wrongPort(
  { name, network, cpdId }: PreparedPort,
  { ports, networks, own }: { ports: readonly VimPort[]; networks: readonly VimNetwork[]; own: OwnPorts },
): string | undefined {
  const port = ports.find((each) => each.name === name);
  if (port === undefined) return undefined;
  const { found, networkId, used } = port;
  if (found === 0)
    return `the VIM has no port ${name} that its user sees: make it in the VIM's project, or name another for "${cpdId}"`;
  if (found > 1) return `${found} ports of the VIM are called ${name}, and Heat takes no name that several have: give the id`;
  if (used === true && !own.mayBe({ port: port.id, device: port.device }))
    return `port ${name} is in use, by a server or another device: free it, or name another for "${cpdId}"`;
  const id = networks.find((each) => each.name === network)?.id;
  if (id !== undefined && networkId !== undefined && id !== networkId)
    return `port ${name} is on network ${networkId}, and its link is network ${network} (${id}): give the link that the port is on, or a port of that network`;
  return undefined;
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** The objects of a list, each with its place. */
export const objectsIn = (value: Json | undefined): [JsonObject, number][] =>
  (Array.isArray(value) ? value : []).flatMap((each, index) => (isJsonObject(each) ? [[each, index]] : []));
