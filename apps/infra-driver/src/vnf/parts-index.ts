import type { FloatingIpItem, PortItem, StackParts, VolumeItem } from '@windlass/openstack';
import type { Described } from './vnf-model.js';

/** What can be told of a part: the stack that it is in, and its resource name there. */
type Named = Pick<PortItem, 'name' | 'place'>;

/** Finds the parts of a stack that belong to a server without looking at those of all others: a VNF may have thousands. */
export class PartsIndex {
  readonly #ports: PartList<PortItem>;
  readonly #volumes: PartList<VolumeItem>;
  readonly #portsById: ReadonlyMap<string, PortItem>;
  readonly #floatingIps: ReadonlyMap<string, FloatingIpItem[]>;

  constructor({ ports, volumes, floatingIps }: Pick<StackParts, 'ports' | 'volumes' | 'floatingIps'>) {
    this.#ports = new PartList(ports, ({ serverId }) => (serverId === undefined ? [] : [serverId]));
    this.#volumes = new PartList(volumes, ({ attachments }) => attachments.map(({ serverId }) => serverId));
    // Of several with one id the first counts.
    this.#portsById = new Map(
      [...ports].reverse().flatMap((port) => (port.physicalId === undefined ? [] : [[port.physicalId, port]])),
    );
    this.#floatingIps = groupedBy(floatingIps, ({ portId }) => (portId === undefined ? [] : [portId]));
  }

  port(id: string): PortItem | undefined {
    return this.#portsById.get(id);
  }

  /** Those that Neutron says are plugged into the server, and those given; in the order of the stack's. */
  portsOf(serverId: string | undefined, others: Iterable<PortItem>): PortItem[] {
    return this.#ports.inOrder([...this.#ports.on(serverId), ...others]);
  }

  /** The port that is named so in the stack; of several the one that is plugged into the server, else the first. */
  portNamed(described: Described, stackId: string, serverId: string | undefined): PortItem | undefined {
    const named = this.#ports.named(described, stackId);
    return named.find((port) => serverId !== undefined && port.serverId === serverId) ?? named[0];
  }

  /** Those attached to the server, and those in the stack that are named so; in the order of the stack's. */
  volumesOf(serverId: string | undefined, stackId: string, named: readonly Described[]): VolumeItem[] {
    const byName = named.flatMap((described) => this.#volumes.named(described, stackId));
    return this.#volumes.inOrder([...this.#volumes.on(serverId), ...byName]);
  }

  /** Those that lead to one of the ports, port by port. */
  floatingIpsTo(ports: readonly PortItem[]): FloatingIpItem[] {
    const ids = new Set(ports.flatMap(({ physicalId }) => (physicalId === undefined ? [] : [physicalId])));
    return [...ids].flatMap((id) => this.#floatingIps.get(id) ?? []);
  }
}

/** Parts by the server that they are on, and by their names in their stack. */
class PartList<T extends Named> {
  readonly #order: ReadonlyMap<T, number>;
  readonly #byServer: ReadonlyMap<string, T[]>;
  readonly #byName: ReadonlyMap<string, T[]>;

  constructor(parts: readonly T[], serversOf: (part: T) => readonly string[]) {
    this.#order = new Map(parts.map((part, at) => [part, at]));
    this.#byServer = groupedBy(parts, serversOf);
    this.#byName = groupedBy(parts, ({ name, place }) => [nameIn(place.stack.id, name)]);
  }

  on(serverId: string | undefined): readonly T[] {
    return serverId === undefined ? [] : (this.#byServer.get(serverId) ?? []);
  }

  named({ id, copy }: Described, stackId: string): readonly T[] {
    return this.#byName.get(nameIn(stackId, copy === undefined ? id : `${id}-${copy}`)) ?? [];
  }

  /** Each once. */
  inOrder(parts: readonly T[]): T[] {
    return [...new Set(parts)].sort((a, b) => (this.#order.get(a) ?? 0) - (this.#order.get(b) ?? 0));
  }
}

const nameIn = (stackId: string, name: string): string => `${stackId} ${name}`;

/** The things by their keys, in their order. A thing may have several keys, or none. */
export function groupedBy<T, K>(things: readonly T[], keysOf: (thing: T) => readonly K[]): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const thing of things) {
    for (const key of keysOf(thing)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [thing]);
      else group.push(thing);
    }
  }
  return groups;
}
