import { KEYS } from './known-parts.js';
import type { Definitions } from '../vnfd/load-definitions.js';
import { nearest } from './nearest.js';
import { UnusedWarnings } from './unused-warnings.js';
import type { PackageWarning } from '../refusals/package-error.js';
import { duplicateKeys } from '../yaml/duplicate-keys.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/** Sections of a topology by themselves: where else they stand, nothing reads them. */
const OF_TOPOLOGY: readonly string[] = ['policies', 'groups', 'node_templates', 'substitution_mappings'];

/**
 * Sections of the package's definition files that nothing reads, whatever templates there are: in an unusual place, misspelt, given twice, or in a file that
 * defines no flavour.
 * @param flavourFiles files that define a flavour
 */
export function unusedSections({ files, members }: Definitions, flavourFiles: readonly string[]): PackageWarning[] {
  return files.filter(({ file }) => members.includes(file)).flatMap((file) => ofFile(file, flavourFiles.includes(file.file)));
}

function ofFile(file: YamlNode, hasFlavour: boolean): PackageWarning[] {
  const warnings = new UnusedWarnings(file.file, 'vnfd.unused');
  if (!file.isMap) return [];
  for (const [key] of file.entries()) {
    if (OF_TOPOLOGY.includes(key))
      warnings.add(key, `nothing reads "${key}" at the root of the file: move it below topology_template`);
    else if (!isKnown(KEYS.file, key)) warnings.add(key, unknown(key, 'the file', KEYS.file));
  }
  const topology = file.at('topology_template');
  for (const [key, section] of topology.isMap ? topology.entries() : []) {
    if (!isKnown(KEYS.topology, key)) warnings.add(key, unknown(key, 'topology_template', KEYS.topology));
    else if (!hasFlavour && (key === 'policies' || key === 'groups') && section.named().length > 0)
      warnings.add(
        key,
        `nothing reads "${key}" of a file that defines no flavour: move them to the file whose substitution_mappings have its flavour_id`,
      );
  }
  const mappings = topology.at('substitution_mappings');
  for (const [key] of mappings.isMap ? mappings.entries() : []) {
    if (OF_TOPOLOGY.includes(key))
      warnings.add(key, `nothing reads "${key}" inside of substitution_mappings: move it to topology_template itself`);
    else if (!isKnown(KEYS.mappings, key)) warnings.add(key, unknown(key, 'substitution_mappings', KEYS.mappings));
  }
  const templates = topology.at('node_templates');
  for (const [name, node] of templates.isMap ? templates.entries() : []) {
    if (node.isMap && !node.at('type').present && OF_TOPOLOGY.includes(name))
      warnings.add(name, `nothing reads "${name}" among the node_templates: move it out of them, to topology_template itself`);
    for (const key of OF_TOPOLOGY.filter((each) => node.at(each).present))
      warnings.add(name, `nothing reads "${key}" inside of a node template: move it to topology_template itself`);
  }
  for (const { key, first, last } of duplicateKeys(file.fileText ?? ''))
    warnings.add(key, `is given twice in one map, in line ${first} and in line ${last}: the last is read alone; merge them`);
  return warnings.all();
}

const isKnown = (names: readonly string[], key: string): boolean => names.includes(key);

function unknown(key: string, of: string, names: readonly string[]): string {
  const like = nearest(key, names);
  return `nothing reads "${key.slice(0, 100)}" of ${of}${like === undefined ? '' : `: is "${like}" meant?`}`;
}
