import type { Flavor } from '../nova/nova-api.js';
import { commandLine, findingsOf, type Finding } from './findings.js';
import type { Look } from './look.js';
import type { ServerNeed } from './vim-needs.js';

/** Flavors by VDU. */
export type FoundFlavors = ReadonlyMap<string, Flavor>;

/** Whether each VDU has a flavor, and one that is large enough. */
export async function findFlavors(look: Look): Promise<{ found: FoundFlavors; findings: Finding[] }> {
  const { servers } = look.needs;
  const all = servers.length === 0 ? [] : await look.openStack.nova.listFlavors();
  const found = new Map<string, Flavor>();
  const findings = servers.map((server) => {
    const flavor = flavorOf(server, all);
    if (flavor !== undefined) found.set(server.name, flavor);
    return flavorFinding(server, flavor);
  });
  return { found, findings };
}

/** By name, else by id; where none is named, the smallest that is large enough. */
function flavorOf({ flavor: wanted, least, fromVolume }: ServerNeed, all: readonly Flavor[]): Flavor | undefined {
  if (wanted !== undefined) return all.find(({ name }) => name === wanted) ?? all.find(({ id }) => id === wanted);
  return all
    .filter(
      ({ vcpus, ramMiB, diskGiB }) =>
        vcpus >= least.vcpus && ramMiB >= least.ramMiB && (fromVolume || diskGiB === 0 || diskGiB >= least.diskGiB),
    )
    .sort((one, other) => one.ramMiB - other.ramMiB || one.vcpus - other.vcpus || one.diskGiB - other.diskGiB)[0];
}

export function flavorFinding(server: ServerNeed, flavor: Flavor | undefined): Finding {
  const { name, flavor: wanted, least, fromVolume } = server;
  const told = findingsOf('flavor.fits', `${name}: ${wanted ?? flavor?.name ?? 'by size'}`);
  const create = commandLine(
    'openstack',
    'flavor',
    'create',
    '--vcpus',
    String(Math.max(1, least.vcpus)),
    '--ram',
    String(Math.max(512, least.ramMiB)),
    '--disk',
    String(least.diskGiB),
    wanted ?? name,
  );
  const todo = 'have an administrator make it';
  if (flavor === undefined)
    return wanted === undefined
      ? told.failed(`none has ${least.vcpus} CPUs, ${least.ramMiB} MiB and ${least.diskGiB} GiB`, { todo, command: create })
      : told.failed('there is none of this name or id that the project may use', { todo, command: create });
  const { vcpus, ramMiB, diskGiB } = flavor;
  const short = [
    ...(vcpus < least.vcpus ? [`${least.vcpus} CPUs`] : []),
    ...(ramMiB < least.ramMiB ? [`${least.ramMiB} MiB of memory`] : []),
    // A disk of 0 is as large as the image.
    ...(!fromVolume && diskGiB > 0 && diskGiB < least.diskGiB ? [`${least.diskGiB} GiB of disk`] : []),
  ];
  const has = `${vcpus} CPUs, ${ramMiB} MiB, ${diskGiB === 0 ? 'the image’s disk' : `${diskGiB} GiB`}`;
  if (short.length === 0) return told.ok(has);
  return told.failed(`it has ${has}; ${name} needs ${short.join(', ')}`, {
    todo: 'name a larger one in the VNFD, the grant or additionalParams',
    command: 'openstack flavor list --all',
  });
}
