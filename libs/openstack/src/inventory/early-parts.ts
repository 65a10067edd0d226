import type { StackResource } from '../heat/heat-types.js';
import type { AwaitedStack } from '../heat/stack-looks.js';
import type { Server } from '../nova/nova-api.js';
import type { OpenStack } from '../openstack.js';
import { PORT, SERVER } from './inventory.js';
import { floatingIdsOf, idsOf, isFloating, portsOf, readEach, type PortsRead } from './reading.js';

/** Of larger stacks each server is read when the stack is complete: much may become of them until then. */
const MOST_SERVERS = 8;

/** What attaches volumes to servers that are ACTIVE already. */
const ATTACHMENT = 'OS::Cinder::VolumeAttachment';

/** Of larger stacks ports are read when the stack is complete. As many as one request names. */
const MOST_PORTS = 40;

/** What is known of a stack before it is complete. */
export interface EarlyParts {
  portIds: string[];
  /** The ids of its floating IPs, and of what leads them to ports. */
  floatingIds: string[];
  /** Those that Nova had finished with. */
  servers: Promise<Server[]>;
  /** The ports, and the floating IPs that led to them; undefined where they were not read, or could not be. */
  ports: Promise<PortsRead | undefined>;
}

interface EarlyRead {
  servers: Server[];
  ports: PortsRead | undefined;
}

/**
 * Reads, shortly before a stack is expected to be complete, the servers that it has by then, and the ports of servers that Nova has finished with: Nova takes
 * longest to answer, and has mostly finished with a server when Heat asks for it the next time. What is read so is good only where the complete stack still has
 * that very server and these very ports, and no floating IP more.
 */
export class EarlyReading implements AwaitedStack {
  #resources: readonly StackResource[] = [];
  #read: Promise<EarlyRead | undefined> | undefined;

  constructor(private readonly openStack: OpenStack) {}

  listed(resources: readonly StackResource[]): void {
    // Where something has not been begun yet, what is there says little of what will be.
    this.#resources = resources.every(({ physicalId }) => physicalId !== undefined) ? resources : [];
  }

  endsSoon(): void {
    const ids = idsOf(this.#resources, SERVER);
    const isAttached = this.#resources.some(({ type }) => type === ATTACHMENT);
    if (this.#read !== undefined || isAttached || ids.length === 0 || ids.length > MOST_SERVERS) return;
    this.#read = this.#begin(ids, this.#arePortsSettled ? idsOf(this.#resources, PORT) : []);
  }

  /** What the next reading need not ask for; undefined where nothing is known. */
  get parts(): EarlyParts | undefined {
    if (this.#resources.length === 0) return undefined;
    const read = Promise.resolve(this.#read);
    return {
      portIds: idsOf(this.#resources, PORT),
      floatingIds: floatingIdsOf(this.#resources),
      servers: read.then((early) => early?.servers.filter(isFinished) ?? []),
      ports: read.then((early) => early?.ports),
    };
  }

  /** Whether nothing is made any more that leads an address to a port. */
  get #arePortsSettled(): boolean {
    const ports = idsOf(this.#resources, PORT);
    return (
      ports.length <= MOST_PORTS &&
      this.#resources.every(({ type, status }) => !(type === PORT || isFloating(type)) || status === 'CREATE_COMPLETE')
    );
  }

  /** Of one stack of the VIM at a time. What could not be read is read when the stack is complete, by whoever needs it then. */
  async #begin(ids: readonly string[], portIds: readonly string[]): Promise<EarlyRead | undefined> {
    const { watch, nova } = this.openStack;
    const read = await watch
      ?.alone(async () => {
        const servers = await readEach(ids, (id) => nova.getServer(id));
        // Ports of a server that is not made yet may not be plugged in.
        const areAllThere = servers.length === ids.length && servers.every(isFinished);
        const ports =
          areAllThere && portIds.length > 0 ? await portsOf(this.openStack, portIds).catch(() => undefined) : undefined;
        return { servers, ports };
      })
      .catch(() => undefined);
    if (read === undefined) this.#read = undefined;
    return read;
  }
}

/** Nothing becomes of it by itself any more. */
const isFinished = ({ status, task }: Server): boolean => status === 'ACTIVE' && task === undefined;
