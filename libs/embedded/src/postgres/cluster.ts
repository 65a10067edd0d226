import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { TerminalError } from '@windlass/foundation';
import { accountForInitdb, HERE, type Identity } from '../server-user.js';
import { runOnce } from '../run-once.js';
import type { PostgresBinaries } from './binaries.js';

/** Files of one cluster. The passwords stay with us (0600); the server has only their SCRAM verifiers. */
export interface ClusterFiles {
  /** What the others lie in. */
  folder: string;
  /** PGDATA. */
  cluster: string;
  /** Password of the superuser `postgres`. */
  adminPassword: string;
  /** Password of `windlass`, who owns the database `windlass` and nothing else. */
  password: string;
  /** The port of the last start. */
  port: string;
}

export const filesOf = (folder: string): ClusterFiles => ({
  folder,
  cluster: join(folder, 'cluster'),
  adminPassword: join(folder, 'admin-password'),
  password: join(folder, 'password'),
  port: join(folder, 'port'),
});

const newPassword = (): string => randomBytes(24).toString('base64url');

/** Reads a password, or makes and keeps one. */
export function passwordIn(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const password = newPassword();
  writeFileSync(file, `${password}\n`, { mode: 0o600, flag: 'wx' });
  return password;
}

function chownTree(path: string, { uid, gid }: Identity): void {
  lchownSync(path, uid, gid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) chownTree(join(path, name), { uid, gid });
}

/**
 * Makes the cluster where there is none yet. It is built beside its place and renamed, so that a killed `initdb` leaves nothing half-made.
 * Collation is PostgreSQL's own C.UTF-8, so that order and indexes do not depend on the machine's C library.
 * @throws TerminalError `embedded.password-lost` when the cluster is there but the superuser's password file is not
 */
export async function ensureCluster(
  files: ClusterFiles,
  { initdb }: PostgresBinaries,
  user: Identity | undefined,
  durable: boolean,
): Promise<void> {
  if (existsSync(join(files.cluster, 'PG_VERSION'))) {
    if (existsSync(files.adminPassword)) return;
    throw new TerminalError(
      'embedded.password-lost',
      `${files.cluster} is a PostgreSQL cluster, but ${files.adminPassword} is gone`,
    );
  }
  const half = `${files.cluster}.new`;
  const secretFile = `${files.adminPassword}.initdb`;
  for (const leftover of [half, secretFile]) rmSync(leftover, { recursive: true, force: true });
  const builder = user === undefined ? undefined : accountForInitdb();
  try {
    writeFileSync(secretFile, passwordIn(files.adminPassword), { mode: 0o600, flag: 'wx' });
    mkdirSync(half, { mode: 0o700 });
    if (builder !== undefined) [secretFile, half].forEach((path) => chownSync(path, builder.uid, builder.gid));
    const args = initdbArguments(basename(secretFile), durable);
    await runOnce({ file: initdb, args, folder: half, user: builder });
  } finally {
    rmSync(secretFile, { force: true });
  }
  if (user !== undefined) chownTree(half, user);
  renameSync(half, files.cluster);
}

const initdbArguments = (passwordFile: string, durable: boolean): string[] => [
  `--pgdata=${HERE}`,
  '--username=postgres',
  `--pwfile=${HERE}/../${passwordFile}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
  '--no-instructions',
  // A cluster that may be lost is smaller and made faster: 1 MiB log segments, nothing synced.
  ...(durable ? [] : ['--no-sync', '--wal-segsize=1']),
];
