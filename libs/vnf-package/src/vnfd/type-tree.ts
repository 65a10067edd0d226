import type { Definitions } from './load-definitions.js';
import { YamlNode } from '../yaml/yaml-node.js';

const SECTIONS = ['node_types', 'policy_types', 'artifact_types', 'group_types', 'interface_types'] as const;

/** Which type derives from which, over all files: enough to recognise a vendor's VDU as a VDU. */
export class TypeTree {
  readonly #types = new Map<string, YamlNode>();

  constructor(definitions: Definitions) {
    // The package's own definitions come last, so that they win over the built-in ones.
    for (const file of [...definitions.builtIn, ...definitions.files]) {
      for (const section of SECTIONS) {
        for (const [name, type] of file.at(section).entries()) this.#types.set(name, type);
      }
    }
  }

  /** True if the type is `base` or derives from it, however far. */
  isA(type: string | undefined, base: string): boolean {
    return this.chain(type).includes(base);
  }

  /** The type and those it derives from, nearest first. Ends where a type is unknown or derives from itself. */
  chain(type: string | undefined): string[] {
    const chain: string[] = [];
    for (let at = type; at !== undefined && !chain.includes(at); at = this.#types.get(at)?.at('derived_from').text())
      chain.push(at);
    return chain;
  }

  /** The default that a property has by its node's type, or by what that derives from. */
  propertyDefault(type: string | undefined, property: string): YamlNode {
    for (const name of this.chain(type)) {
      const found = this.#types.get(name)?.at('properties', property, 'default');
      if (found?.present === true) return found;
    }
    return new YamlNode(undefined, '', []);
  }
}

/** Types of SOL001 that Windlass reads. */
export const Tosca = {
  vnf: 'tosca.nodes.nfv.VNF',
  compute: 'tosca.nodes.nfv.Vdu.Compute',
  blockStorage: 'tosca.nodes.nfv.Vdu.VirtualBlockStorage',
  objectStorage: 'tosca.nodes.nfv.Vdu.VirtualObjectStorage',
  fileStorage: 'tosca.nodes.nfv.Vdu.VirtualFileStorage',
  vduCp: 'tosca.nodes.nfv.VduCp',
  extCp: 'tosca.nodes.nfv.VnfExtCp',
  vipCp: 'tosca.nodes.nfv.VipCp',
  virtualLink: 'tosca.nodes.nfv.VnfVirtualLink',
  swImage: 'tosca.artifacts.nfv.SwImage',
  vnflcm: 'tosca.interfaces.nfv.Vnflcm',
  placementGroup: 'tosca.groups.nfv.PlacementGroup',
  scalingAspects: 'tosca.policies.nfv.ScalingAspects',
  initialDelta: 'tosca.policies.nfv.VduInitialDelta',
  scalingDeltas: 'tosca.policies.nfv.VduScalingAspectDeltas',
  instantiationLevels: 'tosca.policies.nfv.InstantiationLevels',
  vduLevels: 'tosca.policies.nfv.VduInstantiationLevels',
  linkLevels: 'tosca.policies.nfv.VirtualLinkInstantiationLevels',
  affinity: 'tosca.policies.nfv.AffinityRule',
  antiAffinity: 'tosca.policies.nfv.AntiAffinityRule',
  securityGroupRule: 'tosca.policies.nfv.SecurityGroupRule',
} as const;
