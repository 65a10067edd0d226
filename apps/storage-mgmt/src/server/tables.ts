import { createHash } from 'node:crypto';
import {
  deepestOver,
  formatCidr,
  isStoragePath,
  parseCidr,
  parseIpv4,
  plainStoragePath,
  STORAGE_PATH,
  type SetUpStorageInput,
} from '@windlass/driver-kit';
import { TerminalError } from '@windlass/foundation';

/** The tables for the scripts of a storage server: a line for each entry, members separated by tabs. */
export interface StorageTables {
  /** Cinder's id, Nova's name of the device (`-`: unknown), the mount point. A mount point within another follows that. */
  volumes: string;
  /** Directory, client, the deepest mount point above the directory (`-`: none). */
  exports: string;
  /** SHA-256 of the table of exports, hex. */
  exportsDigest: string;
}

const VOLUME = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;
const DEVICE = /^\/dev\/[a-z][a-z0-9]*$/;

/**
 * @param machine its name, for messages
 * @throws TerminalError `storage.path-refused`, `storage.network-refused`, `storage.volume-refused`, `storage.volume-twice`
 */
export function storageTables(
  { volumes, exports }: Pick<SetUpStorageInput, 'volumes' | 'exports'>,
  machine: string,
): StorageTables {
  const points = volumes.map(({ mountTo }) => pathOf(mountTo, 'mounted at'));
  for (const of of [points, volumes.map(({ volumeId }) => volumeId)]) {
    const twice = of.find((each, at) => of.indexOf(each) !== at);
    if (twice !== undefined)
      throw new TerminalError(
        'storage.volume-twice',
        `${twice} stands twice among the volumes of ${machine}: each has a mount point of its own`,
      );
  }
  const table = exports.map(({ directory, to }) => {
    const path = pathOf(directory, 'exported');
    return [path, networkOf(to), deepestOver(path, points) ?? '-'];
  });
  const text = lines(table);
  return {
    volumes: lines(
      volumes
        .map(({ volumeId, device }, at) => ({ row: [volumeOf(volumeId), deviceOf(device)], point: points[at] ?? '' }))
        .sort((a, b) => depthOf(a.point) - depthOf(b.point))
        .map(({ row, point }) => [...row, point]),
    ),
    exports: text,
    exportsDigest: createHash('sha256').update(text).digest('hex'),
  };
}

const lines = (table: readonly (readonly string[])[]): string => table.map((row) => `${row.join('\t')}\n`).join('');

/** How many folders a path is deep: a mount point is no deeper than what lies in it. */
const depthOf = (path: string): number => path.split('/').length;

function pathOf(given: string, what: string): string {
  if (isStoragePath(given)) return plainStoragePath(given);
  throw new TerminalError('storage.path-refused', `${JSON.stringify(given)} can't be ${what}: expected ${STORAGE_PATH}`);
}

function networkOf(to: string): string {
  const cidr = parseCidr(to);
  if (cidr !== undefined) return formatCidr(cidr);
  if (parseIpv4(to) !== undefined) return to;
  throw new TerminalError(
    'storage.network-refused',
    `${JSON.stringify(to)} can't be exported to: expected an IPv4 address or range such as 10.10.0.0/24`,
  );
}

function volumeOf(volumeId: string): string {
  if (VOLUME.test(volumeId)) return volumeId;
  throw new TerminalError(
    'storage.volume-refused',
    `${JSON.stringify(volumeId)} is no id of a Cinder volume: is the volume there?`,
  );
}

/** A device's name in a form that the kernel does not use is ignored. */
const deviceOf = (device: string | null): string => (device !== null && DEVICE.test(device) ? device : '-');
