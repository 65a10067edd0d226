import { isJsonObject, pointerToken, type Json, type JsonObject } from '@windlass/foundation';
import type { AskedOfVim, AskedServer } from '@windlass/lifecycle';
import {
  MOST_FLAVORS,
  type DescriptionFault,
  type FloatingNetwork,
  type VimFlavor,
  type VimImage,
  type VimNetworksReply,
  type VimNetworksRequest,
} from '@windlass/messaging';

/** What is wrong, and where the request says it; without a path where only the package does. */
export interface ServerFault {
  path?: string;
  reason: string;
}

type Asked = Pick<VimNetworksRequest, 'flavors' | 'images' | 'floating'>;

/** Longest name that is looked for. */
const LONGEST_NAME = 255;

/** What of flavors, images and networks of floating IPs the VIM is asked for; none of a kind of which there are none. */
export function namesAskedFor({ servers, floating }: AskedOfVim): Asked {
  const some = (names: readonly string[]): string[] =>
    [...new Set(names)].filter((name) => name !== '' && name.length <= LONGEST_NAME).slice(0, MOST_FLAVORS);
  const asked = {
    flavors: some(servers.map(({ flavor }) => flavor)),
    images: some(servers.flatMap(({ image, carried }) => (image === undefined || carried !== undefined ? [] : [image]))),
    floating: some(floating.map(({ name }) => name)),
  };
  return Object.fromEntries(Object.entries(asked).filter(([, names]) => names.length > 0));
}

/** Servers whose flavor is not there or too small for their image, and floating IPs that no network gives. */
export function serverFaults(asked: AskedOfVim, reply: VimNetworksReply, request: JsonObject): ServerFault[] {
  const { flavors = [], images = [], floating = [] } = reply;
  const told = (name: string, reason: string): ServerFault => {
    const path = saidAt(request, name);
    return path === undefined ? { reason } : { path, reason };
  };
  return [
    ...asked.servers.flatMap((server) => {
      const reason = flavorFault(server, flavors, images);
      return reason === undefined ? [] : [told(server.flavor, reason)];
    }),
    ...asked.floating.flatMap(({ name, of }) => {
      const reason = floatingFault(
        of,
        floating.find((each) => each.name === name),
      );
      return reason === undefined ? [] : [told(name, reason)];
    }),
  ];
}

const ANOTHER =
  'name another (additionalParams.nfv.VDU.<VDU>.flavor where the template asks for it, else in the VNFD or the template), or have one made';

function flavorFault(server: AskedServer, flavors: readonly VimFlavor[], images: readonly VimImage[]): string | undefined {
  const { name, flavor: wanted, image, carried, fromVolume } = server;
  const flavor = flavors.find((each) => each.name === wanted);
  if (flavor === undefined) return undefined;
  const { has } = flavor;
  if (has === undefined)
    return `the VIM has no flavor ${wanted} that its project may use, and the server ${name} is to have it: ${ANOTHER}`;
  const least = carried ?? images.find((each) => each.name === image);
  if (least === undefined) return undefined;
  // Heat and Nova count so: `min_disk` against a flavor's disk of 0, too.
  const short = [
    ...(!fromVolume && has.diskGiB < least.minDiskGiB ? [`${least.minDiskGiB} GiB of disk (min_disk)`] : []),
    ...(has.ramMiB < least.minRamMiB ? [`${least.minRamMiB} MiB of memory (min_ram)`] : []),
  ];
  if (short.length === 0) return undefined;
  return `the image ${image ?? ''} of the server ${name} asks for ${short.join(' and ')}, and the flavor ${wanted} has ${has.diskGiB} GiB and ${has.ramMiB} MiB: ${ANOTHER}`;
}

function floatingFault(of: readonly string[], network: FloatingNetwork | undefined): string | undefined {
  if (network === undefined) return undefined;
  const { name, found, external } = network;
  const who = `the floating IP ${of.join(', ')}`;
  if (found === 0)
    return `the VIM has no network ${name} that its user sees, and ${who} is to come from it: name an external one`;
  if (found > 1) return `${found} networks of the VIM are called ${name}, from which ${who} is to come: give the id`;
  if (external !== false) return undefined;
  return `network ${name} is not external, and ${who} is to come from it: name an external one (openstack network list --external)`;
}

/** Where the parameters of the request say it: the first of several places. */
const saidAt = ({ additionalParams }: JsonObject, value: string): string | undefined =>
  additionalParams === undefined ? undefined : placeOf(additionalParams, value, '/additionalParams');

function placeOf(within: Json, value: string, path: string): string | undefined {
  if (within === value || (typeof within === 'number' && String(within) === value)) return path;
  if (!Array.isArray(within) && !isJsonObject(within)) return undefined;
  for (const [name, member] of Object.entries(within)) {
    const found = placeOf(member, value, `${path}/${pointerToken(name)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The field of the request that describes the VIM wrongly. */
export function descriptionFault(
  { member, reason }: DescriptionFault,
  { vimConnectionInfo }: JsonObject,
  connectionId: string,
): ServerFault {
  const index = (Array.isArray(vimConnectionInfo) ? vimConnectionInfo : []).findIndex(
    (each) => isJsonObject(each) && each.id === connectionId,
  );
  return index < 0 ? { reason } : { path: `/vimConnectionInfo/${index}/${member}`, reason };
}
