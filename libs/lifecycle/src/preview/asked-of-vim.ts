import { wholeGibibytes, wholeMebibytes, type JsonObject } from '@windlass/foundation';
import { bootedFrom, literal, resourcesOf, type TemplateReader, type TemplateResource } from '@windlass/user-data';
import { flavourOf, type Flavour, type SoftwareImage } from '@windlass/vnf-package';
import { desiredBy } from '../records/desired-state.js';
import type { PackageRecord } from '../ports.js';
import { instantiateScript } from '../operations/instantiate/instantiate-script.js';
import { scriptOf } from '../shared-steps/user-data/script-step.js';
import { smallestFlavorFor, wantedFlavors, withPlaceholderFlavors } from '../stack/flavors-by-size.js';
import { heatRequest } from '../stack/heat-request.js';

/** A server of the templates, as far as flavor and image are known before anything is made. */
export interface AskedServer {
  /** As its template calls it. */
  name: string;
  /** Name or id. */
  flavor: string;
  /** Name or id of its image. */
  image?: string;
  /** What a carried image will ask for in Glance; absent of one that has to be in the VIM. */
  carried?: { minDiskGiB: number; minRamMiB: number };
  /** It boots from a volume: the flavor's disk does not count. */
  fromVolume: boolean;
}

/** What the templates of an instantiation name in the VIM, beside the networks that the request connects. */
export interface AskedOfVim {
  servers: AskedServer[];
  /** External networks that floating IPs come from, each with the resources that take one. */
  floating: { name: string; of: string[] }[];
}

const NOTHING: AskedOfVim = { servers: [], floating: [] };

/**
 * What a request to instantiate comes to in the VIM, as the templates say it; nothing where a script computes it.
 * @param request one that `checkAfterDrivers` of INSTANTIATE has nothing against
 * @throws RequestError as `heatRequest` and `resourcesOf`
 */
export function askedOfVim(
  { instance, package: record, request }: { instance: { id: string }; package: PackageRecord; request: JsonObject },
  read?: TemplateReader,
): AskedOfVim {
  if (scriptOf({ instance: { desired: null }, opOcc: { request } }, instantiateScript) !== undefined) return NOTHING;
  const wanted = desiredBy(request);
  const flavour = flavourOf(record.model, wanted.flavourId);
  const desired = withPlaceholderFlavors(flavour, wanted);
  const resources = resourcesOf(heatRequest({ instance, package: record, opOcc: { id: instance.id }, desired }, {}), read);
  const bySize = new Set(wantedFlavors(flavour, wanted).map(({ vduId }) => smallestFlavorFor(vduId)));
  return { servers: serversOf(flavour, resources, bySize), floating: floatingOf(resources) };
}

function serversOf(flavour: Flavour, resources: readonly TemplateResource[], bySize: ReadonlySet<string>): AskedServer[] {
  const images = [...flavour.vdus, ...flavour.storages].flatMap(({ image }) => image ?? []);
  const servers = resources.flatMap(({ type, name, properties }): AskedServer[] => {
    const flavor = type === 'OS::Nova::Server' ? literal(properties.flavor) : undefined;
    if (flavor === undefined || bySize.has(flavor)) return [];
    const image = bootedFrom(properties);
    const carried = images.find((one) => one.name === image && isCarried(one));
    return [
      {
        name,
        flavor,
        ...(image === undefined ? {} : { image }),
        ...(carried === undefined ? {} : { carried: least(carried) }),
        fromVolume: literal(properties.image) === undefined,
      },
    ];
  });
  // Members of a group, and VDUs that are made alike, ask for the same.
  return [...new Map(servers.map((server) => [JSON.stringify(server), server])).values()];
}

const isCarried = ({ file }: SoftwareImage): boolean => file?.kind === 'member' && file.present;

const least = ({ minDisk, minRam }: SoftwareImage): NonNullable<AskedServer['carried']> => ({
  minDiskGiB: wholeGibibytes(minDisk),
  minRamMiB: wholeMebibytes(minRam),
});

function floatingOf(resources: readonly TemplateResource[]): AskedOfVim['floating'] {
  const networks = new Map<string, string[]>();
  for (const { type, name, properties } of resources) {
    const network = literal(properties.floating_network) ?? literal(properties.floating_network_id);
    if (type === 'OS::Neutron::FloatingIP' && network !== undefined)
      networks.set(network, [...new Set([...(networks.get(network) ?? []), name])]);
  }
  return [...networks].map(([name, of]) => ({ name, of }));
}
