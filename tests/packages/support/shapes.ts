import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { PackageFiles } from '@windlass/vnf-package/testing';

const FOLDER = join(import.meta.dirname, '../tosca-only');

/** The names of the packages without templates. */
export const SHAPES: readonly string[] = readdirSync(FOLDER).sort();

/** A change of a package: a text replaced in a member, or, without `from`, a member replaced or removed. */
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

/** A package's files with changes. */
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
