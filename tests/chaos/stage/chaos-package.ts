import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buildCsar } from '@windlass/vnf-package';

const HERE = import.meta.dirname;
const IMAGE = 'Files/images/ubuntu-22.04-server-cloudimg-amd64.img';

/** The scaling aspect of the package: one member at level 0, one more a level. */
export const ASPECT = { id: 'members', most: 3 } as const;
/** The number of members at a level. */
export const membersAt = (level: number): number => 1 + level;

/** Builds the suite's package from its sources and the samples' image. Returns the package's path. */
export async function chaosPackage(folder: string): Promise<string> {
  const sources = join(folder, 'package');
  await cp(join(HERE, '../package'), sources, { recursive: true });
  await mkdir(join(sources, 'Files/images'), { recursive: true });
  await cp(join(HERE, '../../../samples/simple-vm', IMAGE), join(sources, IMAGE));
  const file = join(folder, 'chaos.csar');
  await buildCsar(sources, file);
  return file;
}
