import { readFile } from 'node:fs/promises';
import type { Csar } from '../archive/csar.js';
import { baseName, resolveInPackage } from '../archive/member-name.js';
import { memberText } from '../archive/member-text.js';
import { Faults } from '../refusals/faults.js';
import { refuseOtherKind } from '../kinds/descriptor-kind.js';
import { DEFAULT_YAML_LIMITS } from '../refusals/limits.js';
import { PackageError } from '../refusals/package-error.js';
import { parsedNode } from '../yaml/parsed-node.js';
import { YamlNode } from '../yaml/yaml-node.js';

/** ETSI's type definitions of SOL001 v2.6.1, which packages import by these names and may leave out (BSD-3, see the folder). */
const BUILT_IN = new URL('../../data/sol001/', import.meta.url);
const BUILT_IN_FILES: ReadonlySet<string> = new Set(['etsi_nfv_sol001_common_types.yaml', 'etsi_nfv_sol001_vnfd_types.yaml']);

/** The top VNFD and everything it imports, each file once. */
export interface Definitions {
  readonly top: YamlNode;
  /** In the order of import, the top first. Includes what only we carry. */
  readonly files: readonly YamlNode[];
  /** Those that the package carries. */
  readonly members: readonly string[];
  /** ETSI's types, whether imported or not: they only fill what the files leave open. */
  readonly builtIn: readonly YamlNode[];
}

/**
 * Reads the top VNFD and follows its imports, relative to the importing file. Files that import each other are read once.
 * @throws PackageError `vnfd.import-absent`, `vnfd.import-refused`, `vnfd.too-many-files`, `yaml.*`.
 */
export async function loadDefinitions(csar: Csar, entry: string, signal?: AbortSignal): Promise<Definitions> {
  const builtIn = await builtInFiles();
  const files = new Map<string, YamlNode>();
  const queue = [entry];
  const members: string[] = [];
  const faults = new Faults();
  for (const name of queue) {
    if (files.has(name)) continue;
    if (files.size >= csar.limits.yamlFiles) {
      throw new PackageError('vnfd.too-many-files', `the VNFD is made of more than ${csar.limits.yamlFiles} files`, {
        member: name,
      });
    }
    const ours = csar.has(name) ? undefined : builtIn.find(({ file }) => file === baseName(name));
    const node = ours ?? (await faults.keepLater(() => readYamlMember(csar, name, signal)));
    if (node === undefined) continue;
    if (files.size === 0) refuseOtherKind(node);
    files.set(name, node);
    if (ours !== undefined) continue; // its import is built in, too
    members.push(name);
    queue.push(...importsOf(csar, node, faults));
  }
  faults.throwIfAny();
  const all = [...files.values()];
  return { top: all[0] ?? new YamlNode(undefined, entry), files: all, members, builtIn };
}

/** One YAML file of the package. */
export async function readYamlMember(csar: Csar, name: string, signal?: AbortSignal): Promise<YamlNode> {
  const text = await memberText(csar, name, csar.limits.yaml.bytes, signal);
  return parsedNode(text, name, csar.limits.yaml);
}

let builtInOnce: Promise<YamlNode[]> | undefined;

/** Our copies of ETSI's files, parsed once a process: they are most of the work of reading a small package. */
function builtInFiles(): Promise<YamlNode[]> {
  builtInOnce ??= Promise.all(
    [...BUILT_IN_FILES].map(async (name) => {
      const text = await readFile(new URL(name, BUILT_IN), 'utf8');
      return parsedNode(text, name, DEFAULT_YAML_LIMITS);
    }),
  );
  return builtInOnce;
}

/** Names of the files that a file imports: `- x.yaml`, `- {file: x.yaml}` or `- name: {file: x.yaml}`. */
function importsOf(csar: Csar, node: YamlNode, faults: Faults): string[] {
  const imports = node.at('imports');
  const entries = imports.isList ? imports.items() : imports.entries().map(([, value]) => value);
  return entries.flatMap((entry) => faults.keep(() => resolveImport(csar, node.file, importedFile(entry))) ?? []);
}

function importedFile(entry: YamlNode): YamlNode {
  if (!entry.isMap) return entry;
  const file = entry.at('file');
  if (file.present) return file;
  const [only] = entry.entries();
  if (only === undefined) throw entry.wrong('should name a file');
  return only[1].isMap ? only[1].at('file') : only[1];
}

function resolveImport(csar: Csar, from: string, entry: YamlNode): string {
  const written = entry.requiredText();
  const ours = BUILT_IN_FILES.has(baseName(written));
  if (/^[a-z][a-z0-9+.-]*:/i.test(written)) {
    if (ours) return baseName(written); // ETSI's own files are imported by their address, too
    throw new PackageError('vnfd.import-refused', `imports ${written}: only files of the package are read`, { member: from });
  }
  const name = resolveInPackage(written, from);
  if (name === undefined) {
    throw new PackageError(
      'vnfd.import-refused',
      `imports ${JSON.stringify(written)}, which leads out of the package; only files of the package are read`,
      {
        member: from,
      },
    );
  }
  if (!csar.has(name) && !ours) {
    throw new PackageError(
      'vnfd.import-absent',
      `${from} imports it, but the package has no such member: add it, or remove the import`,
      { member: name },
    );
  }
  return name;
}
