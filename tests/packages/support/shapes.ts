import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { PackageFiles } from '@windlass/vnf-package/testing';

const FOLDER = join(import.meta.dirname, '../tosca-only');

/** The packages without templates, by name. */
export const SHAPES: readonly string[] = readdirSync(FOLDER).sort();

/** Another text in a member of a package; the member by itself when it has no `from`: another content, or none. */
export type Change = { member: string; from: string; to: string } | { member: string; from?: undefined; to: string | undefined };

/** The files of a package without templates. */
export function shape(name: string, ...changes: readonly Change[]): PackageFiles {
  const root = join(FOLDER, name);
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files: PackageFiles = Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(root, path).split(sep).join('/'), readFileSync(path)] as const;
    }),
  );
  return changed(name, files, changes);
}

/** The files of that package with these changes. */
export function changed(name: string, files: PackageFiles, changes: readonly Change[]): PackageFiles {
  for (const { member, from, to } of changes) {
    if (from === undefined) {
      files[member] = to;
      continue;
    }
    const text = files[member]?.toString();
    if (text?.includes(from) !== true) throw new Error(`${name}, ${member} has no ${JSON.stringify(from)} to be changed`);
    files[member] = text.replace(from, to);
  }
  return files;
}
