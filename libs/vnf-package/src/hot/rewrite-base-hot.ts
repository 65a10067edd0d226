import { InvariantError } from '@windlass/foundation';
import { isMap, isSeq, type ParsedNode, visit } from 'yaml';
import type { BaseHot } from './base-hot.js';
import {
  applyEdits,
  insertFirst,
  nodeAt,
  pairOf,
  type ParsedMap,
  type ParsedPair,
  removePair,
  replaceValue,
  type TextEdit,
} from './text-edits.js';
import { DEFAULT_YAML_LIMITS } from '../refusals/limits.js';
import { parseYaml } from '../yaml/parse-yaml.js';

/** What Heat gets: the top template's text, and the files by the name it refers to them. */
export interface HeatTemplates {
  template: string;
  files: Record<string, string>;
}

export interface HotChanges {
  /** Members wanted of groups whose `desired_capacity` is a literal or absent, by the group's name. */
  groupSizes?: Readonly<Record<string, number>>;
  /** Groups that shall have no member: their `max_size` becomes 0. */
  emptied?: readonly string[];
  /** Networks managed from outside, by the internal virtual link that they stand in for. */
  managedNetworks?: Readonly<Record<string, string>>;
  /** Ids of ports that were prepared outside, by the port resource that each stands in for, in whichever of the templates it is. */
  preparedPorts?: Readonly<Record<string, string>>;
}

/**
 * The templates of a flavour, changed where the wanted size or network is written down in them.
 *
 * The text is edited in place, nothing is printed anew: what YAML 1.1 reads in it (`0644`, `on`, dates) Heat reads unchanged.
 * A virtual link managed from outside loses its network resource and that one's subnets; references to it become its id. So do references to a
 * port that was prepared outside.
 */
export function rewriteBaseHot(hot: BaseHot, changes: HotChanges = {}): HeatTemplates {
  const files = Object.fromEntries(Object.entries(hot.files).map(([name, { text }]) => [name, text]));
  let template = hot.top.text;
  const sizes = Object.entries(changes.groupSizes ?? {});
  if (sizes.length > 0)
    template = edited(template, hot.top.path, (text, root) =>
      sizes.flatMap(([name, size]) => set(text, root, name, 'desired_capacity', size)),
    );
  const emptied = changes.emptied ?? [];
  if (emptied.length > 0)
    template = edited(template, hot.top.path, (text, root) => emptied.flatMap((name) => set(text, root, name, 'max_size', 0)));
  const networks = Object.entries(changes.managedNetworks ?? {});
  if (networks.length > 0)
    template = edited(template, hot.top.path, (text, root) =>
      networks.flatMap(([link, id]) => manageNetwork(text, root, link, id)),
    );
  const ports = Object.entries(changes.preparedPorts ?? {});
  if (ports.length === 0) return { template, files };
  const withPorts = (text: string, path: string): string =>
    edited(text, path, (read, root) => ports.flatMap(([name, id]) => preparePort(read, root, name, id)));
  return {
    template: withPorts(template, hot.top.path),
    files: Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, isTemplate(text) ? withPorts(text, name) : text]),
    ),
  };
}

const isTemplate = (text: string): boolean => /^heat_template_version\s*:/m.test(text);

function edited(template: string, path: string, edits: (text: string, root: ParsedNode) => TextEdit[]): string {
  const { text, document } = parseYaml(template, path, DEFAULT_YAML_LIMITS);
  if (document.contents === null) return template;
  const wanted = edits(text, document.contents);
  if (wanted.length === 0) return template;
  const result = applyEdits(text, wanted);
  parseYaml(result, path, DEFAULT_YAML_LIMITS); // an edit that breaks the syntax must not reach Heat
  return result;
}

/** Gives a property of a group a number; one that is not there is put there. */
function set(text: string, root: ParsedNode, group: string, property: string, size: number): TextEdit[] {
  const properties = nodeAt(root, 'resources', group, 'properties');
  if (!isMap(properties)) return [];
  const map = properties as ParsedMap;
  const written = pairOf(map, property);
  if (written !== undefined) return [replaceValue(text, written, String(size))];
  const inserted = insertFirst(text, map, `${property}: ${size}`);
  if (inserted === undefined) throw new InvariantError(`the group ${group} has no properties to add ${property} to`);
  return [inserted];
}

function manageNetwork(text: string, root: ParsedNode, link: string, networkId: string): TextEdit[] {
  const resources = nodeAt(root, 'resources');
  if (!isMap(resources)) return [];
  const map = resources as ParsedMap;
  const removed = map.items.filter((pair) => nameOf(pair) === link || isSubnetOf(pair, link));
  return standIn(text, root, { map, removed, name: link, id: networkId });
}

function preparePort(text: string, root: ParsedNode, name: string, portId: string): TextEdit[] {
  const resources = nodeAt(root, 'resources');
  if (!isMap(resources)) return [];
  const map = resources as ParsedMap;
  const isPort = (pair: ParsedPair): boolean => nodeAt(pair.value, 'type')?.toString().trim() === 'OS::Neutron::Port';
  const removed = map.items.filter((pair) => nameOf(pair) === name && isPort(pair));
  return removed.length === 0 ? [] : standIn(text, root, { map, removed, name, id: portId });
}

interface StandIn {
  map: ParsedMap;
  removed: readonly ParsedPair[];
  name: string;
  id: string;
}

/** Takes resources out, and puts an id in the place of each reference to one of them. */
function standIn(text: string, root: ParsedNode, { map, removed, name, id }: StandIn): TextEdit[] {
  const names = new Set(removed.map(nameOf));
  const edits = removed.map((pair) => removePair(text, map, pair));
  visit(root, {
    Map(_, node) {
      const reference = pairOf(node, 'get_resource')?.value;
      if (reference?.toString().trim() === name && node.items.length === 1) edits.push(replaceMap(text, node as ParsedMap, id));
    },
    Pair(_, pair) {
      const dependency = pair as ParsedPair;
      if (nameOf(dependency) === 'depends_on') edits.push(...withoutDependencies(text, dependency, names));
    },
  });
  return edits;
}

const nameOf = (pair: ParsedPair): string => pair.key.toString().trim();

function isSubnetOf(pair: ParsedPair, link: string): boolean {
  if (nodeAt(pair.value, 'type')?.toString().trim() !== 'OS::Neutron::Subnet') return false;
  return ['network', 'network_id'].some(
    (name) => nodeAt(pair.value, 'properties', name, 'get_resource')?.toString().trim() === link,
  );
}

function replaceMap(text: string, map: ParsedMap, id: string): TextEdit {
  const [start, end] = map.range ?? [0, 0];
  return { start, end, text: JSON.stringify(id) + (text.slice(start, end).endsWith('\n') ? '\n' : '') };
}

function withoutDependencies(text: string, pair: ParsedPair, names: ReadonlySet<string>): TextEdit[] {
  const { value } = pair;
  if (value === null) return [];
  const listed = isSeq(value) ? value.items.map((item) => String(item).trim()) : [value.toString().trim()];
  const kept = listed.filter((name) => !names.has(name));
  return kept.length === listed.length ? [] : [replaceValue(text, pair, JSON.stringify(kept))];
}
