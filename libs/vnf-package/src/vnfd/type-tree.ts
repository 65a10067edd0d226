import type { Definitions } from './load-definitions.js';
import { PackageError, printableName } from '../refusals/package-error.js';
import type { Yaml } from '../yaml/parse-yaml.js';
import { YamlNode } from '../yaml/yaml-node.js';

const SECTIONS = ['node_types', 'policy_types', 'artifact_types', 'group_types', 'interface_types'] as const;

/** Types that one may derive from, one from the next. ETSI's own have five at most. */
const LONGEST_CHAIN = 64;

/** Which type derives from which, over all files: enough to recognise a vendor's VDU as a VDU. */
export class TypeTree {
  readonly #types = new Map<string, YamlNode>();
  /** Each computed once: a package may have as many nodes as types. */
  readonly #chains = new Map<string, readonly string[]>();

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

  /**
   * The type and those it derives from, nearest first. Ends where a type is unknown or derives from itself.
   * @throws PackageError `vnfd.invalid` for one that derives from more than {@link LONGEST_CHAIN}
   */
  chain(type: string | undefined): readonly string[] {
    if (type === undefined) return [];
    const known = this.#chains.get(type);
    if (known !== undefined) return known;
    const chain: string[] = [];
    for (let at: string | undefined = type; at !== undefined && !chain.includes(at); at = this.#parent(at)) {
      if (chain.length > LONGEST_CHAIN) throw this.#tooLong(type);
      chain.push(at);
    }
    this.#chains.set(type, chain);
    return chain;
  }

  #parent(type: string): string | undefined {
    return this.#types.get(type)?.at('derived_from').text();
  }

  #tooLong(type: string): PackageError {
    const reason = `the type ${printableName(type)} derives from more than ${LONGEST_CHAIN} others, one from the next`;
    const member = this.#types.get(type)?.file;
    return new PackageError('vnfd.invalid', reason, member === undefined ? {} : { member });
  }

  /** The default that a property has by its node's type, or by what that derives from. */
  propertyDefault(type: string | undefined, property: string): YamlNode {
    for (const name of this.chain(type)) {
      const found = this.#types.get(name)?.at('properties', property, 'default');
      if (found?.present === true) return found;
    }
    return new YamlNode(undefined, '', []);
  }

  /** Defaults of a node's properties by types of the package's own, nearest first: those of ETSI's change nothing. */
  ownDefaults(type: string | undefined): Record<string, Yaml> {
    const defaults: Record<string, Yaml> = {};
    for (const name of this.chain(type).filter((each) => !each.startsWith('tosca.'))) {
      for (const [property, definition] of this.#types.get(name)?.at('properties').entries() ?? []) {
        const { value, present } = definition.at('default');
        if (value !== undefined && present && !Object.hasOwn(defaults, property)) defaults[property] = value;
      }
    }
    return defaults;
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
