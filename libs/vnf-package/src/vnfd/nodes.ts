import type { ConnectionPoint, Storage, Vdu, VirtualLink } from '../model/model.js';
import { sizeBytes } from './size.js';
import { readSoftwareImage } from './software-image.js';
import type { Topology } from './topology.js';
import { Tosca } from './type-tree.js';
import type { Csar } from '../archive/csar.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/** The VDUs of a flavour, without what policies say about them. */
export function readVdus(topology: Topology, csar: Csar): Vdu[] {
  return topology.nodes(Tosca.compute).map(([id, node]) => {
    const properties = node.at('properties');
    const compute = node.at('capabilities', 'virtual_compute', 'properties');
    const [disk] = compute.at('virtual_local_storage').items();
    return {
      id,
      name: properties.at('name').text() ?? id,
      description: properties.at('description').text() ?? '',
      storageIds: [...new Set(requirementTargets(node, 'virtual_storage'))],
      ...defined({
        flavorName: requestedCapability(compute.at('requested_additional_capabilities')),
        virtualCpus: processors(compute.at('virtual_cpu', 'num_virtual_cpu')),
        memoryBytes: sizeBytes(compute.at('virtual_memory', 'virtual_mem_size')),
        diskBytes: disk === undefined ? undefined : sizeBytes(disk.at('size_of_storage')),
        image: readSoftwareImage(node, csar, topology.types),
        ...readProfile(properties.at('vdu_profile')),
      }),
    };
  });
}

/** @throws PackageError for fewer than one. */
function processors(node: YamlNode): number | undefined {
  const number = node.integer();
  if (number !== undefined && number < 1) throw node.wrong(`should be 1 or more, is ${number}`);
  return number;
}

/** @throws PackageError where a number is negative, or the most is below the least. */
function readProfile(profile: YamlNode): Pick<Vdu, 'minInstances' | 'maxInstances'> {
  const count = (name: string): number | undefined => (profile.at(name).present ? profile.at(name).requiredCount() : undefined);
  const [minInstances, maxInstances] = [count('min_number_of_instances'), count('max_number_of_instances')];
  if (minInstances !== undefined && maxInstances !== undefined && maxInstances < minInstances)
    throw profile
      .at('max_number_of_instances')
      .wrong(`is ${maxInstances}, below min_number_of_instances, which is ${minInstances}: correct one of them`);
  return defined({ minInstances, maxInstances });
}

/** A map of capabilities by ETSI; packages in use give the one capability's own fields, or put them under any key. */
function requestedCapability(capabilities: YamlNode): string | undefined {
  const field = 'requested_additional_capability_name';
  if (!capabilities.present) return undefined;
  const candidates = [capabilities, ...capabilities.entries().map(([, capability]) => capability)];
  return candidates.map((candidate) => candidate.at(field).text()).find((name) => name !== undefined);
}

/** Connection points of VDUs and of the VNF. */
export function readConnectionPoints(topology: Topology): ConnectionPoint[] {
  const exposed = new Set(exposedTargets(topology));
  const ofVdus = topology.nodes(Tosca.vduCp).map(([id, node]) => {
    const [virtualLinkId] = requirementTargets(node, 'virtual_link');
    const [vduId] = requirementTargets(node, 'virtual_binding');
    return connectionPoint(id, node, {
      external: virtualLinkId === undefined || exposed.has(id),
      ...defined({ vduId, virtualLinkId }),
    });
  });
  const ofVnf = topology.nodes(Tosca.extCp).map(([id, node]) => {
    const [virtualLinkId] = requirementTargets(node, 'internal_virtual_link');
    return connectionPoint(id, node, { external: true, ...defined({ virtualLinkId }) });
  });
  const virtual = topology.nodes(Tosca.vipCp).map(([id, node]) => {
    const [virtualLinkId] = requirementTargets(node, 'virtual_link');
    return connectionPoint(id, node, { external: virtualLinkId === undefined || exposed.has(id), ...defined({ virtualLinkId }) });
  });
  return [...ofVdus, ...ofVnf, ...virtual];
}

function connectionPoint(
  id: string,
  node: YamlNode,
  links: Pick<ConnectionPoint, 'external' | 'vduId' | 'virtualLinkId'>,
): ConnectionPoint {
  const protocols = node.at('properties', 'layer_protocols');
  return {
    id,
    ...links,
    layerProtocols: protocols.isList ? protocols.items().map((protocol) => protocol.requiredText()) : [],
    ...defined({ order: node.at('properties', 'order').integer() }),
  };
}

/** Nodes that `substitution_mappings.requirements` maps an external virtual link to: `[ CP1, virtual_link ]`, in TOSCA 1.3 also as `mapping` of a map. */
export function exposedTargets(topology: Topology): string[] {
  const mappings = topology.at('substitution_mappings', 'requirements').named();
  const targets = mappings.map(([, target]) => (target.isMap ? target.at('mapping') : target));
  return targets.flatMap((target) => (target.isList ? (target.items()[0]?.text() ?? []) : []));
}

export function readVirtualLinks(topology: Topology): VirtualLink[] {
  return topology
    .nodes(Tosca.virtualLink)
    .map(([id, node]) => ({ id, description: node.at('properties', 'description').text() ?? '' }));
}

export function readStorages(topology: Topology, csar: Csar): Storage[] {
  const kinds = [
    [Tosca.blockStorage, 'block'],
    [Tosca.objectStorage, 'object'],
    [Tosca.fileStorage, 'file'],
  ] as const;
  return kinds.flatMap(([type, kind]) =>
    topology.nodes(type).map(([id, node]) => {
      const size = node.at(
        'properties',
        `virtual_${kind}_storage_data`,
        kind === 'object' ? 'max_size_of_storage' : 'size_of_storage',
      );
      return { id, kind, ...defined({ sizeBytes: sizeBytes(size), image: readSoftwareImage(node, csar, topology.types) }) };
    }),
  );
}

/** Nodes that a node's requirement of this name points to: `- virtual_binding: VDU1` or `- virtual_binding: {node: VDU1}`. */
export function requirementTargets(node: YamlNode, name: string): string[] {
  return node
    .at('requirements')
    .named()
    .filter(([requirement, target]) => requirement === name && target.present)
    .map(([, target]) => (target.isMap ? target.at('node') : target).requiredText());
}

/** A copy without the members that are undefined: what JSON would make of it. */
export function defined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
