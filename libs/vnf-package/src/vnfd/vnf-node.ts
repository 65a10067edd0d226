import type { Definitions } from './load-definitions.js';
import { Topology } from './topology.js';
import { Tosca, type TypeTree } from './type-tree.js';
import { PackageError } from '../package-error.js';
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
  return {
    vnfdId: text('descriptor_id'),
    provider: text('provider'),
    productName: text('product_name'),
    softwareVersion: text('software_version'),
    descriptorVersion: text('descriptor_version'),
    vnfmInfo: textOrList(property('vnfm_info')),
  };
}

const textOrList = (node: YamlNode): string[] => {
  if (!node.present) return [];
  return node.isList ? node.items().map((item) => item.requiredText()) : [node.requiredText()];
};
