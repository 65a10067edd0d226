import type { Definitions } from './load-definitions.js';
import { Topology } from './topology.js';
import { Tosca, type TypeTree } from './type-tree.js';
import { Faults } from '../refusals/faults.js';
import { isControl, PackageError } from '../refusals/package-error.js';
import { YamlNode } from '../yaml/yaml-node.js';

/** What the VNFD says of the VNF as a whole. */
export interface VnfIdentity {
  vnfdId: string;
  provider: string;
  productName: string;
  softwareVersion: string;
  descriptorVersion: string;
  vnfmInfo: string[];
}

/**
 * Reads the node of the VNF in the top VNFD. Its properties may stand on the node or as defaults of its type.
 * @throws PackageError `vnfd.no-vnf-node`, or `vnfd.invalid` naming the property that is missing.
 */
export function readVnfIdentity(definitions: Definitions, types: TypeTree): VnfIdentity {
  const { top } = definitions;
  const [found] = new Topology(top, types).nodes(Tosca.vnf);
  if (found === undefined) {
    throw new PackageError(
      'vnfd.no-vnf-node',
      `topology_template.node_templates has no node of a type derived from ${Tosca.vnf}`,
      {
        member: top.file,
      },
    );
  }
  const [, node] = found;
  const type = node.at('type').text();
  const property = (name: string): YamlNode => {
    const own = node.at('properties', name);
    return own.present ? own : types.propertyDefault(type, name);
  };
  const text = (name: string): string => {
    const value = property(name);
    if (!value.present) throw node.at('properties', name).wrong('is missing', 'vnfd.no-vnf-node');
    return value.requiredText();
  };
  const faults = new Faults();
  const kept = (name: string): string => faults.keep(() => text(name)) ?? '';
  const vnfdId = kept('descriptor_id');
  const fault = vnfdId === '' ? undefined : idFault(vnfdId);
  if (fault !== undefined) faults.add(property('descriptor_id').wrong(fault));
  const identity = {
    vnfdId,
    provider: kept('provider'),
    productName: kept('product_name'),
    softwareVersion: kept('software_version'),
    descriptorVersion: kept('descriptor_version'),
    vnfmInfo: faults.keep(() => textOrList(property('vnfm_info'))) ?? [],
  };
  faults.throwIfAny();
  return identity;
}

const textOrList = (node: YamlNode): string[] => {
  if (!node.present) return [];
  return node.isList ? node.items().map((item) => item.requiredText()) : [node.requiredText()];
};

/** Characters that SOL003's requests name a VNFD by. */
const LONGEST_ID = 255;

/** Why no request could name the VNFD by that id; undefined where it can. Others than UUIDs are as good: SOL001 7.8.1.2 asks for a unique one. */
function idFault(id: string): string | undefined {
  if (id.length > LONGEST_ID) return `has ${id.length} characters; at most ${LONGEST_ID} name a VNFD in a request`;
  if (Array.from(id).some(isControl)) return 'has a control character, by which no request could name it';
  return id.trim() === id && id !== '.' && id !== '..'
    ? undefined
    : `should not begin or end with a blank, nor be a dot or two: ${JSON.stringify(id)}`;
}
