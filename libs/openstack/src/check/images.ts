import { isUuid } from '@windlass/foundation';
import type { Image } from '../glance/glance-api.js';
import { commandLine, findingsOf, type Finding } from './findings.js';
import type { Look } from './look.js';
import type { ImageNeed } from './vim-needs.js';

/** Images that servers are made from. What the package carries is uploaded; all else must be there. */
export async function checkImages(look: Look): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const need of look.needs.images) {
    if (need.carried)
      findings.push(findingsOf('image.exists', need.name).ok('the package has it: it is uploaded for each instance'));
    else findings.push(...imageFindings(need, await named(look, need.name)));
    findings.push(...(await fitsFlavors(look, need)));
  }
  if (look.needs.images.length > 0)
    findings.push(
      findingsOf('image.login', look.needs.images.map(({ name }) => name).join(', ')).note(
        'whether an image takes the login of the request (password or key) can’t be seen from outside',
        {
          todo: 'start a server of it and log in as the request says; images of distributions take no password: give one by cloud-init in the template (plain_text_passwd, ssh_pwauth), or ssh_authorized_keys with private_key in the request',
        },
      ),
    );
  return findings;
}

/** As Heat does it: the image of that id, else those of that name. */
async function named({ openStack: { glance } }: Look, name: string): Promise<Image[]> {
  const byId = isUuid(name) ? await glance.getImage(name) : undefined;
  return byId === undefined ? glance.findImages({ name }) : [byId];
}

/** Whether it is there, once, usable, and what the package means. */
export function imageFindings(need: ImageNeed, images: readonly Image[]): Finding[] {
  const told = findingsOf('image.exists', need.name);
  const [image] = images;
  if (image === undefined)
    return [
      told.failed(`there is none of this name or id, and the package does not bring it (${need.neededBy.join(', ')})`, {
        todo: 'upload it',
        command: commandLine(
          'openstack',
          'image',
          'create',
          '--disk-format',
          'qcow2',
          '--container-format',
          'bare',
          '--file',
          '<file>',
          need.name,
        ),
      }),
    ];
  if (images.length > 1)
    return [
      told.failed(`${images.length} images have this name: Heat refuses it (${images.map(({ id }) => id).join(', ')})`, {
        todo: 'name it by its id in the request, or delete the others',
        command: commandLine('openstack', 'image', 'list', '--name', need.name),
      }),
    ];
  if (image.status !== 'active')
    return [
      told.failed(`image ${image.id} is ${image.status}, not active`, {
        todo:
          image.status === 'deactivated'
            ? 'activate it'
            : 'upload its bytes again under the same name, after this one is deleted',
        command:
          image.status === 'deactivated'
            ? commandLine('openstack', 'image', 'set', '--activate', image.id)
            : commandLine('openstack', 'image', 'delete', image.id),
      }),
    ];
  return [told.ok(`${image.id}, active`), ...checksumFindings(need, image)];
}

const algorithmName = (text: string): string => text.toLowerCase().replaceAll('-', '');

function checksumFindings({ name, checksum }: ImageNeed, image: Image): Finding[] {
  if (checksum === undefined) return [];
  const told = findingsOf('image.checksum', name);
  if (image.hashAlgorithm === undefined || image.hash === undefined || algorithmName(checksum.algorithm) !== image.hashAlgorithm)
    return [
      told.note(`the package gives ${checksum.algorithm}, Glance has ${image.hashAlgorithm ?? 'none'}: they can’t be compared`),
    ];
  if (image.hash === checksum.hash.toLowerCase()) return [told.ok(`${image.hashAlgorithm} as the package says`)];
  return [
    told.warning('its bytes are not those that the package names: it was changed, or is another', {
      todo: 'if it was changed for logging in, as the guide does, write its hash into the VNFD; else upload the right one',
      command: commandLine('openstack', 'image', 'show', '-c', 'os_hash_value', image.id),
    }),
  ];
}

/**
 * `min_disk` and `min_ram`: Heat and Nova refuse a server whose flavor is below, Heat also one whose flavor says 0 of its disk. Of a server on
 * a volume the memory alone counts.
 */
async function fitsFlavors(look: Look, need: ImageNeed): Promise<Finding[]> {
  const image = need.carried ? undefined : (await named(look, need.name))[0];
  const least = {
    disk: Math.max(need.carried ? need.minDiskGiB : 0, image?.minDiskGiB ?? 0),
    ram: Math.max(need.carried ? need.minRamMiB : 0, image?.minRamMiB ?? 0),
  };
  const servers = look.needs.servers.filter((server) => server.image === need.name && server.flavor !== undefined);
  const findings: Finding[] = [];
  for (const { name, flavor: wanted = '', fromVolume } of servers) {
    const flavor = await look.openStack.nova.findFlavor(wanted);
    if (flavor === undefined) continue;
    const told = findingsOf('image.fits', `${need.name} on ${flavor.name}`);
    const short = [
      ...(!fromVolume && flavor.diskGiB < least.disk ? [`${least.disk} GiB of disk`] : []),
      ...(flavor.ramMiB < least.ram ? [`${least.ram} MiB of memory`] : []),
    ];
    findings.push(
      short.length === 0
        ? told.ok('min_disk and min_ram fit')
        : told.failed(`the image asks for ${short.join(' and ')}; ${name} has ${flavor.diskGiB} GiB and ${flavor.ramMiB} MiB`, {
            todo: 'take a larger flavor, or lower the image’s min_disk and min_ram if they are wrong',
            command: commandLine('openstack', 'image', 'show', '-c', 'min_disk', '-c', 'min_ram', image?.id ?? need.name),
          }),
    );
  }
  return findings;
}
