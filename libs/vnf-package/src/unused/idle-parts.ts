import { KEYS } from './known-parts.js';
import { nearest } from './nearest.js';
import { exposedTargets, requirementTargets } from '../vnfd/nodes.js';
import type { Topology } from '../vnfd/topology.js';
import { Tosca } from '../vnfd/type-tree.js';
import { UnusedWarnings } from './unused-warnings.js';
import type { PackageWarning } from '../refusals/package-error.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/**
 * Nodes, groups and requirements of a flavour that are legible and that nothing refers to, or that say a second time what can be said once. Whatever
 * templates there are; what matters to templates that are made from the VNFD alone is told of there.
 */
export function idleParts(flavourId: string, topology: Topology, translated: boolean): PackageWarning[] {
  const warnings = new UnusedWarnings(topology.at().file, 'vnfd.unused');
  ofVnf(flavourId, topology, warnings);
  ofConnectionPoints(topology, translated, warnings);
  if (translated) {
    ofStorages(topology, warnings);
    ofGroups(topology, warnings);
  }
  return warnings.all();
}

function ofVnf(flavourId: string, topology: Topology, warnings: UnusedWarnings): void {
  const [first, ...others] = topology.nodes(Tosca.vnf);
  for (const [id] of others) warnings.add(id, `is a second node of the VNF: "${first?.[0] ?? ''}" is read alone`);
  if (first === undefined) return;
  const own = first[1].at('properties', 'flavour_id');
  const byType = topology.types.propertyDefault(first[1].at('type').text(), 'flavour_id');
  if (typeof own.value !== 'string' || !own.present || own.value === byType.value || own.value === flavourId) return;
  warnings.add(
    first[0],
    `flavour_id is "${own.value}", and substitution_mappings say "${flavourId}": that is the flavour's name`,
  );
}

function ofConnectionPoints(topology: Topology, translated: boolean, warnings: UnusedWarnings): void {
  const points = new Map([Tosca.vduCp, Tosca.vipCp, Tosca.extCp].flatMap((type) => topology.nodes(type)));
  for (const [id, node] of points)
    for (const name of ['virtual_binding', 'virtual_link']) {
      const [first, ...others] = new Set(requirementTargets(node, name));
      if (others.length > 0)
        warnings.add(id, `has ${others.length + 1} requirements ${name}: "${first ?? ''}" is read alone, make a node for each`);
    }
  for (const target of exposedTargets(topology))
    if (!points.has(target))
      warnings.add(
        'substitution_mappings',
        `a requirement is mapped to "${target}", which is no connection point of the flavour`,
      );
  if (!translated) return;
  for (const [id, node] of topology.nodes(Tosca.vduCp))
    if (requirementTargets(node, 'virtual_binding').length === 0)
      warnings.add(id, 'no virtual_binding says whose it is: its port is made, and no server has it');
}

function ofStorages(topology: Topology, warnings: UnusedWarnings): void {
  const used = new Set(topology.nodes(Tosca.compute).flatMap(([, node]) => requirementTargets(node, 'virtual_storage')));
  for (const [id] of topology.nodes(Tosca.blockStorage))
    if (!used.has(id)) warnings.add(id, 'no VDU has it among its requirements virtual_storage: no volume is made of it');
}

function ofGroups(topology: Topology, warnings: UnusedWarnings): void {
  const nodes = topology.at('node_templates');
  const targets = new Set(
    topology
      .at('policies')
      .named()
      .flatMap(([, policy]) => textsOf(policy.at('targets'))),
  );
  for (const [id, group] of topology.at('groups').named()) {
    if (!topology.types.isA(group.at('type').text(), Tosca.placementGroup)) continue;
    if (!targets.has(id)) warnings.add(id, 'no policy has it among its targets: nothing comes of the group');
    for (const member of textsOf(group.at('members')))
      if (!nodes.at(member).present) warnings.add(id, `has the member "${member}", which the flavour does not define`);
    for (const [key] of group.entries().filter(([each]) => !KEYS.group.some((known) => known === each))) {
      const like = nearest(key, KEYS.group);
      warnings.add(id, `nothing reads "${key}" of a group${like === undefined ? '' : `: is "${like}" meant?`}`);
    }
    for (const [key] of group
      .at('properties')
      .entries()
      .filter(([each]) => each !== 'description'))
      warnings.add(id, `nothing reads the property "${key}" of a group`);
  }
}

const textsOf = (list: YamlNode): string[] =>
  list.isList ? list.items().flatMap((item) => (typeof item.value === 'string' ? [item.value] : [])) : [];
