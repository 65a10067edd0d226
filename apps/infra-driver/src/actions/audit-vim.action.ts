import { seconds, TransientError, WindlassError } from '@windlass/foundation';
import { auditVimAction, vnfOfTag, type AuditVimInput, type AuditVimOutput, type ListedResource } from '@windlass/lifecycle';
import { readInventory, type Inventory, type OpenStack, type StackRef } from '@windlass/openstack';
import { infraAction } from './infra-context.js';

/** The tag that every Windlass gives its stacks and images. */
const ANY_WINDLASS = 'windlass';

/** How often a VIM that can't be reached is asked before the audit reports that. */
const ATTEMPTS = 3;

/**
 * Lists what carries our tags, and looks into our stacks. Changes nothing. A VIM that does not answer is reported, so that the audit goes on with
 * other VIMs.
 */
export const auditVim = infraAction(auditVimAction, {
  apply: async ({ openStack, input, run }) => {
    try {
      return await listing(openStack, input);
    } catch (error) {
      if (!(error instanceof WindlassError)) throw error;
      if (error instanceof TransientError && run.attempt < ATTEMPTS) throw error;
      const failure = { code: error.code, detail: error.message };
      return { failure, stacks: [], images: [] };
    }
  },
  retry: { attempts: ATTEMPTS, backoff: seconds(1), growth: 2 },
});

async function listing(openStack: OpenStack, { deploymentTag, vnfInstanceIds }: AuditVimInput): Promise<AuditVimOutput> {
  const known = new Set(vnfInstanceIds);
  const isOurs = (tags: readonly string[]): boolean =>
    tags.includes(deploymentTag) || tags.some((tag) => known.has(vnfOfTag(tag) ?? ''));
  const summaries = await openStack.heat.listStacks({ tags: [ANY_WINDLASS] });
  const stacks: AuditVimOutput['stacks'] = [];
  for (const { name, id, status, tags } of summaries) {
    if (status === 'DELETE_COMPLETE') continue;
    const resources = isOurs(tags) ? await resourcesOf(openStack, { name, id }) : undefined;
    stacks.push({ name, id, status, tags, ...(resources === undefined ? {} : { resources }) });
  }
  const images = await openStack.glance.findImages({ tag: ANY_WINDLASS });
  return { stacks, images: images.map(({ id, name, tags }) => ({ id, name, tags })) };
}

/** Undefined when the stack has gone while it was looked at. */
async function resourcesOf(openStack: OpenStack, ref: StackRef): Promise<ListedResource[] | undefined> {
  try {
    const inventory = await readInventory(openStack, ref);
    return [...ofStack(inventory), ...(await foreignPorts(openStack, inventory)), ...foreignVolumes(inventory)];
  } catch (error) {
    if (error instanceof WindlassError && error.code === 'heat.stack-not-found') return undefined;
    throw error;
  }
}

function ofStack({ servers, ports, volumes }: Inventory): ListedResource[] {
  const listed = (type: ListedResource['type'], name: string, id: string | undefined, isThere: boolean): ListedResource[] =>
    id === undefined ? [] : [{ type, id, name, state: isThere ? 'there' : 'gone' }];
  return [
    ...servers.flatMap(({ name, physicalId, serverStatus }) => listed('server', name, physicalId, serverStatus !== undefined)),
    ...ports.flatMap(({ name, physicalId, networkId }) => listed('port', name, physicalId, networkId !== undefined)),
    ...volumes.flatMap(({ name, physicalId, sizeGiB }) => listed('volume', name, physicalId, sizeGiB !== undefined)),
  ];
}

/** Ports that somebody else has plugged into our servers. Servers without ports of the stack are left out: Heat or Nova made their ports. */
async function foreignPorts(openStack: OpenStack, { servers, ports }: Inventory): Promise<ListedResource[]> {
  const own = new Set(ports.map(({ physicalId }) => physicalId));
  const withPorts = servers.filter(({ physicalId }) =>
    ports.some(({ serverId }) => serverId !== undefined && serverId === physicalId),
  );
  const found: ListedResource[] = [];
  for (const { physicalId } of withPorts) {
    const plugged = physicalId === undefined ? [] : await openStack.neutron.portsOfServer(physicalId);
    for (const { id, name } of plugged) if (!own.has(id)) found.push({ type: 'port', id, name, state: 'foreign' });
  }
  return found;
}

/**
 * Volumes attached to our servers that are not of the stack. Servers that boot from a volume are left out, because Nova may have made that volume.
 */
function foreignVolumes({ servers, volumes }: Inventory): ListedResource[] {
  const own = new Set(volumes.map(({ physicalId }) => physicalId));
  const attached = servers.filter(({ imageId }) => imageId !== undefined).flatMap(({ volumeIds }) => volumeIds);
  return attached.filter((id) => !own.has(id)).map((id) => ({ type: 'volume', id, name: '', state: 'foreign' }));
}
