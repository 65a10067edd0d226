import type { StackResource } from '../heat/heat-types.js';
import type { AwaitedStack } from '../heat/stack-looks.js';
import type { Server } from '../nova/nova-api.js';
import type { OpenStack } from '../openstack.js';
import { PORT, SERVER } from './inventory.js';
import { idsOf, readEach } from './reading.js';

/** Of larger stacks each server is read when the stack is complete: much may become of them until then. */
const MOST_SERVERS = 8;

/** What attaches volumes to servers that are ACTIVE already. */
const ATTACHMENT = 'OS::Cinder::VolumeAttachment';

/** What is known of a stack before it is complete. */
export interface EarlyParts {
  portIds: string[];
  /** Those that Nova had finished with. */
  servers: Promise<Server[]>;
}

/**
 * Reads, shortly before a stack is expected to be complete, the servers that it has by then: Nova takes longest to answer, and has mostly finished with a
 * server when Heat asks for it the next time. What is read so is good only where the complete stack still has that very server.
 */
export class EarlyReading implements AwaitedStack {
  #resources: readonly StackResource[] = [];
  #servers: Promise<Server[] | undefined> | undefined;

  constructor(private readonly openStack: OpenStack) {}

  listed(resources: readonly StackResource[]): void {
    // Where something has not been begun yet, what is there says little of what will be.
    this.#resources = resources.every(({ physicalId }) => physicalId !== undefined) ? resources : [];
  }

  endsSoon(): void {
    const ids = idsOf(this.#resources, SERVER);
    const isAttached = this.#resources.some(({ type }) => type === ATTACHMENT);
    if (this.#servers !== undefined || isAttached || ids.length === 0 || ids.length > MOST_SERVERS) return;
    this.#servers = this.#read(ids);
  }

  /** What the next reading need not ask for; undefined where nothing is known. */
  get parts(): EarlyParts | undefined {
    if (this.#resources.length === 0) return undefined;
    const servers = Promise.resolve(this.#servers).then((read) => read?.filter(isFinished) ?? []);
    return { portIds: idsOf(this.#resources, PORT), servers };
  }

  /** Of one stack of the VIM at a time. What could not be read is read when the stack is complete, by whoever needs it then. */
  async #read(ids: readonly string[]): Promise<Server[] | undefined> {
    const { watch, nova } = this.openStack;
    const servers = await watch?.alone(() => readEach(ids, (id) => nova.getServer(id))).catch(() => undefined);
    if (servers === undefined) this.#servers = undefined;
    return servers;
  }
}

/** Nothing becomes of it by itself any more. */
const isFinished = ({ status, task }: Server): boolean => status === 'ACTIVE' && task === undefined;
