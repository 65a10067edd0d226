import { existsSync, readFileSync } from 'node:fs';
import { filesOf } from './cluster.js';

/** Where the PostgreSQL of a folder listens since its last start, and how services connect; undefined where none was ever started in it. */
export function knownPostgres(folder: string): { url: string; adminUrl: string } | undefined {
  const files = filesOf(folder);
  if (![files.port, files.password, files.adminPassword].every((file) => existsSync(file))) return undefined;
  const read = (file: string): string => readFileSync(file, 'utf8').trim();
  const at = (user: string, password: string, database: string): string =>
    `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${read(files.port)}/${database}`;
  return {
    url: at('windlass', read(files.password), 'windlass'),
    adminUrl: at('postgres', read(files.adminPassword), 'windlass'),
  };
}
