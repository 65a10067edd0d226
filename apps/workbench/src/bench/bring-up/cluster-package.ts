import { InvariantError } from '@windlass/foundation';
import { randomUUID } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** How many nodes a cluster has. */
export interface ClusterSize {
  masters: number;
  workers: number;
}

/** What of `samples/kubernetes` says how many VNFCs a flavour has, as it lies there; each place at least once. */
type Change = [place: string, now: string];

const VNFD_ID = '8a3f7c52-5d0e-4b1e-9d6a-2f4c7b9e1a30';

/** The sample's flavour that has so many masters. @throws InvariantError where it has none such */
export function flavourOf({ masters }: ClusterSize): 'simple' | 'complex' {
  if (masters === 1) return 'simple';
  if (masters === 3) return 'complex';
  throw new InvariantError(`no flavour of samples/kubernetes is made with ${masters} masters: 1 or 3 was expected`);
}

/** Writes `samples/kubernetes` into a folder, with a VNFD id of its own, and as many workers as are wanted in the flavour with so many masters. */
export async function writeClusterPackage(home: string, size: ClusterSize, folder: string): Promise<void> {
  const { workers } = size;
  const flavour = flavourOf(size);
  await cp(join(home, 'samples/kubernetes'), folder, { recursive: true });
  const vnfdId = randomUUID();
  for (const file of ['Definitions/kubernetes_top.vnfd.yaml', 'Definitions/kubernetes_types.yaml'])
    await change(join(folder, file), [[VNFD_ID, vnfdId]]);
  await change(join(folder, `Definitions/kubernetes_df_${flavour}.yaml`), [
    [
      counts('min_number_of_instances: 2', 'max_number_of_instances: 4', 10),
      counts(`min_number_of_instances: ${workers}`, `max_number_of_instances: ${workers + 2}`, 10),
    ],
    [' number_of_instances: 2\n', ` number_of_instances: ${workers}\n`],
    [' number_of_instances: 4\n', ` number_of_instances: ${workers + 2}\n`],
  ]);
  await change(join(folder, `BaseHOT/${flavour}/${flavour}_hot_top.yaml`), [
    [
      counts('min_size: 2', 'max_size: 4', 6) + '      desired_capacity: 2\n',
      counts(`min_size: ${workers}`, `max_size: ${workers + 2}`, 6) + `      desired_capacity: ${workers}\n`,
    ],
  ]);
}

const counts = (least: string, most: string, indent: number): string =>
  [least, most].map((line) => `${' '.repeat(indent)}${line}\n`).join('');

async function change(file: string, changes: readonly Change[]): Promise<void> {
  let text = await readFile(file, 'utf8');
  for (const [place, now] of changes) {
    if (!text.includes(place))
      throw new InvariantError(`${file} has not "${place.trim()}", which the bench puts other numbers in`);
    text = text.replaceAll(place, now);
  }
  await writeFile(file, text);
}
