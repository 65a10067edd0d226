import type { Cache } from '../debian/cache.js';
import { shiftOwners } from '../debian/shift-owners.js';
import { writeTree } from '../debian/write-tree.js';
import { VARIANTS, type ImageVariant } from './variants.js';

/** A root that a software image may stand for. All are Debian 12; the Ubuntu ones only say otherwise. */
export type RootName = 'debian-12' | 'ubuntu-20.04' | 'ubuntu-22.04' | 'ubuntu-24.04';

/** Software image names to roots. A name with something before it (`node-ubuntu-22.04`) or an image suffix behind it is found too. */
export type ImageRoots = Readonly<Record<string, RootName>>;

export const DEFAULT_IMAGES: ImageRoots = {
  'debian-12': 'debian-12',
  'debian-12-genericcloud-amd64': 'debian-12',
  'debian-12-generic-amd64': 'debian-12',
  'ubuntu-20.04': 'ubuntu-20.04',
  'ubuntu-20.04-server-cloudimg-amd64': 'ubuntu-20.04',
  'ubuntu-22.04': 'ubuntu-22.04',
  'ubuntu-22.04-server-cloudimg-amd64': 'ubuntu-22.04',
  'ubuntu-24.04': 'ubuntu-24.04',
  'ubuntu-24.04-server-cloudimg-amd64': 'ubuntu-24.04',
};

const IMAGE_SUFFIX = /\.(img|qcow2|raw)$/i;

/** What a VM of an image whose name says nothing boots. */
export const DEFAULT_ROOT: RootName = 'debian-12';

export interface ChosenRoot {
  root: RootName;
  /** The word that the name ends with, such as `ubuntu-22.04-first-boot`; undefined where it says none. */
  variant?: ImageVariant;
  /** Why it is not one that the image's name stands for; said on the VM's console. */
  remark?: string;
}

/**
 * The root behind a software image: by its exact name, without its suffix (`.img`, `.qcow2`, `.raw`), or by the longest
 * registered name that it ends with after a `-`, `_` or `.`. A name that stands for none boots {@link DEFAULT_ROOT}.
 */
export function rootOf(imageName: string, images: ImageRoots): ChosenRoot {
  const whole = imageName.replace(IMAGE_SUFFIX, '');
  const variant = VARIANTS.find((word) => endsWithName(whole, word));
  const bare = variant === undefined ? whole : whole.slice(0, -variant.length - 1);
  const said = variant === undefined ? {} : { variant };
  const names = Object.keys(images).sort((a, b) => b.length - a.length);
  const found = names.find((name) => name === imageName || name === bare) ?? names.find((name) => endsWithName(bare, name));
  const root = found === undefined ? undefined : images[found];
  if (root !== undefined) return { root, ...said };
  const known = names.sort().join(', ');
  return {
    root: DEFAULT_ROOT,
    ...said,
    remark: `the lab has no root for the image '${imageName}', so this is ${DEFAULT_ROOT}; for another give the image one of these names, with a prefix if you like: ${known}`,
  };
}

const endsWithName = (image: string, name: string): boolean =>
  image.endsWith(name) && /[-_.]$/.test(image.slice(0, -name.length));

interface Ubuntu {
  version: string;
  codename: string;
  title: string;
  /** What /etc/debian_version says on it. */
  debian: string;
}

const UBUNTU: Record<Exclude<RootName, 'debian-12'>, Ubuntu> = {
  'ubuntu-20.04': { version: '20.04', codename: 'focal', title: '20.04.6 LTS', debian: 'bullseye/sid' },
  'ubuntu-22.04': { version: '22.04', codename: 'jammy', title: '22.04.5 LTS', debian: 'bookworm/sid' },
  'ubuntu-24.04': { version: '24.04', codename: 'noble', title: '24.04.2 LTS', debian: 'trixie/sid' },
};

/** The layers of a root, topmost first: the base alone, or below a thin layer that makes it say Ubuntu. */
export async function layersOf(root: RootName, base: string, cache: Cache): Promise<string[]> {
  if (root === 'debian-12') return [base];
  const files = ubuntuFiles(UBUNTU[root]);
  const layer = await cache.entry('layer', { format: 1, files }, async (folder) => {
    await writeTree(folder, files);
    await shiftOwners(folder);
  });
  return [layer, base];
}

function ubuntuFiles({ version, codename, title, debian }: Ubuntu): Record<string, string> {
  const name = codename.charAt(0).toUpperCase() + codename.slice(1);
  return {
    // /etc/os-release is a link to it; lsb_release reads it.
    'usr/lib/os-release': [
      `PRETTY_NAME="Ubuntu ${title}"`,
      'NAME="Ubuntu"',
      `VERSION_ID="${version}"`,
      `VERSION="${title} (${name})"`,
      `VERSION_CODENAME=${codename}`,
      'ID=ubuntu',
      'ID_LIKE=debian',
      'HOME_URL="https://www.ubuntu.com/"',
      `UBUNTU_CODENAME=${codename}`,
      '',
    ].join('\n'),
    'etc/lsb-release': `DISTRIB_ID=Ubuntu\nDISTRIB_RELEASE=${version}\nDISTRIB_CODENAME=${codename}\nDISTRIB_DESCRIPTION="Ubuntu ${title}"\n`,
    'etc/issue': `Ubuntu ${title} \\n \\l\n\n`,
    'etc/debian_version': `${debian}\n`,
  };
}
