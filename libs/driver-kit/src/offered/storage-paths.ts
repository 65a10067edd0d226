import { withoutEnd } from '@windlass/foundation';

/** What a path may be of: it stands in fstab, in exports and in shell words. A file system takes 255 bytes for a name. */
const PATH = /^(\/[\w.@+:-]{1,255})+$/;

/** A path with `.` or `..` in it, which leads elsewhere than it seems. */
const ELSEWHERE = /\/\.\.?(\/|$)/;

/** Folders in which the system lives, or that lead there (`/var/run` is `/run`). `/var` itself is one, what lies in it is none. */
const SYSTEM = /^\/(bin|boot|dev|etc|lib|lib32|lib64|proc|root|run|sbin|sys|usr|var\/lock|var\/run)(\/|$)|^\/var$/;

/** What {@link isStoragePath} takes, for messages. */
export const STORAGE_PATH =
  'an absolute path of letters, digits and ._@+:- outside the system’s own folders (/root, /etc, /usr and their like), such as /volume/nfs/pv1';

/** A path as it is compared and used: without a slash at its end. */
export const plainStoragePath = (path: string): string => withoutEnd(path, '/');

/** Whether a storage server mounts a volume at this path, or exports it. Requests and steps share this rule. */
export function isStoragePath(path: string): boolean {
  const plain = plainStoragePath(path);
  return PATH.test(plain) && !ELSEWHERE.test(plain) && !SYSTEM.test(plain);
}

/** Whether a path is the folder itself or lies in it; both without a slash at their ends. */
export const liesIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** The deepest of these folders in which a path lies; all plain. */
export const deepestOver = (path: string, folders: readonly string[]): string | undefined =>
  folders.filter((folder) => liesIn(path, folder)).sort((a, b) => b.length - a.length)[0];

/**
 * The exports through which a path can be mounted: the path lies in them, and no other volume is mounted between. NFS does not show a volume mounted
 * within another.
 */
export function exportsOver<E extends { directory: string }>(
  path: string,
  exports: readonly E[],
  mounts: readonly string[],
): E[] {
  const plain = plainStoragePath(path);
  const points = mounts.map(plainStoragePath);
  const volume = deepestOver(plain, points);
  return exports.filter(({ directory }) => {
    const exported = plainStoragePath(directory);
    return liesIn(plain, exported) && deepestOver(exported, points) === volume;
  });
}
