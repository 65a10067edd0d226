import type { Block } from './blocks.js';
import { baseName, resolveInPackage } from '../archive/member-name.js';

export const TOSCA_META = 'TOSCA-Metadata/TOSCA.meta';

/** What TOSCA.meta calls these files: since SOL004 2.6.1 with the prefix, in 2.4.1 without. */
const ENTRY_KEYS = {
  manifest: ['ETSI-Entry-Manifest', 'Entry-Manifest'],
  certificate: ['ETSI-Entry-Certificate', 'Entry-Certificate'],
} as const;

/** A file that TOSCA.meta names, and the key that it does so by. */
export interface NamedEntry {
  readonly key: string;
  readonly path: string;
}

/** The files of that kind that TOSCA.meta names, in whichever block and by whichever key; each once. */
export function namedEntries(blocks: readonly Block[], kind: keyof typeof ENTRY_KEYS): NamedEntry[] {
  const entries = blocks.flatMap(({ fields }) =>
    ENTRY_KEYS[kind].flatMap((key) => {
      const path = fields.get(key.toLowerCase());
      return path === undefined ? [] : [{ key, path }];
    }),
  );
  return [...new Map(entries.map((entry) => [resolveInPackage(entry.path) ?? entry.path, entry])).values()];
}

export const isManifestName = (name: string): boolean => /\.mf$/i.test(name);

const folderOf = (name: string): string => name.slice(0, name.length - baseName(name).length);

/**
 * Files that are called as a manifest is and lie where one may: at the root, in TOSCA-Metadata or beside the top VNFD. They count whether
 * TOSCA.meta names them or not. One that has the top VNFD's name comes first.
 */
export function manifestsByName(names: readonly string[], entryDefinitions: string): string[] {
  const folders = new Set(['', folderOf(TOSCA_META), folderOf(entryDefinitions)]);
  const found = names.filter((name) => isManifestName(name) && folders.has(folderOf(name))).sort();
  const sameName = entryDefinitions.replace(/\.ya?ml$/i, '').toLowerCase();
  return found.sort((one, other) => Number(stem(other) === sameName) - Number(stem(one) === sameName));
}

const stem = (manifest: string): string => manifest.replace(/\.mf$/i, '').toLowerCase();

/** The VNFD of a package without TOSCA.meta is one of these. */
export const yamlAtRoot = (names: readonly string[]): string[] => names.filter((name) => /^[^/]+\.ya?ml$/i.test(name));

/**
 * The manifests among these members, the one that counts as the package's first: those that TOSCA.meta names, and those that are found by name.
 * @param blocks of TOSCA.meta; undefined where there is none
 * @returns names of members that exist
 */
export function manifestsAmong(names: readonly string[], blocks: readonly Block[] | undefined): string[] {
  const named = namedEntries(blocks ?? [], 'manifest').flatMap(({ path }) => resolveInPackage(path) ?? []);
  const entry = blocks === undefined ? yamlAtRoot(names)[0] : resolveInPackage(blocks[0]?.fields.get('entry-definitions') ?? '');
  return [...new Set([...named.filter((name) => names.includes(name)), ...manifestsByName(names, entry ?? '')])];
}
