import { VNFD_OPERATIONS } from '@windlass/sol003/operations';
import { artifactsOf } from '../vnfd/artifacts.js';
import { operationsOf } from '../vnfd/lcm-bindings.js';
import { Tosca } from '../vnfd/type-tree.js';
import { IMAGE_ARTIFACT, KEYS, KNOWN_NODES, KNOWN_POLICIES, type KnownParts } from './known-parts.js';
import { nearest } from './nearest.js';
import { partsOf, type Part } from './parts-tree.js';
import type { Topology } from '../vnfd/topology.js';
import { UnusedWarnings } from './unused-warnings.js';
import type { PackageWarning } from '../refusals/package-error.js';
import { LEFT_OUT, nameOfPart, OTHER_POLICY } from '../translate/table.js';
import { booleanOf } from '../yaml/scalars.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/** Hooks, and the operations that they stand around. */
const OPERATIONS: readonly string[] = VNFD_OPERATIONS.flatMap((operation) => [
  operation,
  `${operation}_start`,
  `${operation}_end`,
]);

/** Parts of each type, once a process. */
const PARTS: readonly { known: KnownParts; parts: Part }[] = [...KNOWN_NODES, ...KNOWN_POLICIES].map((known) => ({
  known,
  parts: partsOf(
    known,
    LEFT_OUT.filter(({ of }) => of.type === known.type),
  ),
}));

const IMAGE_PARTS = partsOf(IMAGE_ARTIFACT, []);

/**
 * The parts of a flavour that nothing reads. Where its templates are made from the VNFD, that is all that no template has of it; where the package carries
 * them, only what looks like a part that is read all the same: a misspelt name.
 * @throws PackageError `vnfd.invalid` where a single value stands in place of a map or list that is read
 */
export function unusedParts(topology: Topology, translated: boolean): PackageWarning[] {
  const walk = new Walk(topology, translated);
  walk.nodes();
  walk.policies();
  walk.groups();
  walk.interfaces();
  walk.artifacts();
  return walk.warnings.all();
}

class Walk {
  readonly warnings: UnusedWarnings;

  constructor(
    private readonly topology: Topology,
    private readonly translated: boolean,
  ) {
    this.warnings = new UnusedWarnings(topology.at().file, translated ? 'translation.left-out' : 'vnfd.unused');
  }

  nodes(): void {
    for (const [id, node] of this.topology.at('node_templates').entries()) {
      this.#keysOfNode(id, node);
      this.#look(id, node, KNOWN_NODES);
    }
    const mapped = this.topology.at('substitution_mappings', 'properties');
    const vnf = PARTS.find(({ known }) => known === KNOWN_NODES[0])?.parts.below.get('properties');
    if (vnf !== undefined && mapped.isMap) this.#into('substitution_mappings', mapped, vnf, ['properties'], 'VNF');
  }

  policies(): void {
    for (const [id, policy] of this.topology.at('policies').named()) {
      const type = policy.at('type').text() ?? '';
      if (this.#look(id, policy, KNOWN_POLICIES)) {
        for (const [key, value] of policy.entries())
          if (!KEYS.policy.some((known) => known === key)) this.#unknown(id, key, [], KEYS.policy, 'policy', value);
        continue;
      }
      const known = KNOWN_POLICIES.map((each) => each.type);
      const like = known.find((each) => each.endsWith(`.${type}`)) ?? nearest(type, known);
      const hint = like === undefined ? OTHER_POLICY.note : `is "${like}" meant?`;
      if (this.translated || like !== undefined) this.warnings.add(id, `the policy's type "${type}" is left out: ${hint}`);
    }
  }

  groups(): void {
    for (const [id, group] of this.topology.at('groups').named()) {
      const type = group.at('type').text() ?? '';
      if (this.topology.types.isA(type, Tosca.placementGroup)) continue;
      const like = nearest(type, [Tosca.placementGroup]);
      if (!this.translated && like === undefined) continue;
      this.warnings.add(
        id,
        `the group's type "${type}" is left out: ${like === undefined ? 'nothing reads it' : `is "${like}" meant?`}`,
      );
    }
  }

  /** Whatever templates there are: nobody runs what is bound here. */
  interfaces(): void {
    for (const [id, node] of this.topology.at('node_templates').entries()) {
      const { types } = this.topology;
      const isVnf = types.isA(node.at('type').text(), Tosca.vnf);
      for (const [name, contract] of node.at('interfaces').entries()) {
        const bound = operationsOf(contract).filter(
          ([, operation]) => operation.present && !(operation.isList && operation.items().length === 0),
        );
        if (isVnf && (name === 'Vnflcm' || types.isA(contract.at('type').text(), Tosca.vnflcm))) {
          for (const [operation] of bound.filter(([each]) => !OPERATIONS.includes(each))) {
            const like = nearest(operation, OPERATIONS);
            this.warnings.add(
              id,
              `nothing calls "${operation}" of ${name}: ${like === undefined ? 'no hook has this name' : `is "${like}" meant?`}`,
            );
          }
        } else if (bound.length > 0)
          this.warnings.add(id, `the interface "${name}" is left out: only Vnflcm of the VNF's node is called`);
      }
    }
  }

  /** Images of VDUs and storages are read, and what the VNF's interface names. */
  artifacts(): void {
    for (const [id, node] of this.topology.at('node_templates').entries()) {
      const type = node.at('type').text();
      if (this.topology.types.isA(type, Tosca.vnf)) continue;
      const images = [Tosca.compute, Tosca.blockStorage].some((base) => this.topology.types.isA(type, base));
      for (const { name, type: kind } of artifactsOf(node)) {
        if (images && this.topology.types.isA(kind, Tosca.swImage)) {
          const said = node.at('artifacts', name, 'properties');
          if (said.isMap) this.#into(id, said, IMAGE_PARTS, [name], 'SwImage');
        } else if (this.translated)
          this.warnings.add(id, `the artifact "${name}" of the type "${kind ?? ''}" is left out: nothing reads it`);
      }
    }
  }

  #keysOfNode(id: string, node: YamlNode): void {
    if (!node.isMap) throw node.wrong('should be a map: a node template');
    for (const [key, value] of node.entries()) {
      if (['policies', 'groups', 'targets'].includes(key)) continue; // told of, or refused, elsewhere
      if (key === 'attributes' || !KEYS.node.some((known) => known === key))
        this.#unknown(id, key, [], KEYS.node, 'node template', value);
    }
  }

  /** False where nothing is known of its type. */
  #look(id: string, node: YamlNode, among: readonly KnownParts[]): boolean {
    const type = node.at('type').text();
    const found = PARTS.find(({ known }) => among.includes(known) && this.topology.types.isA(type, known.type));
    if (found === undefined) return false;
    const short = found.known.type.replace(/^tosca\.(nodes|policies)\.nfv\./, '');
    for (const section of ['properties', 'capabilities', 'requirements'])
      this.#section(id, node.at(section), found.parts.below.get(section) ?? { below: new Map() }, section, short);
    return true;
  }

  #section(id: string, node: YamlNode, part: Part, section: string, type: string): void {
    if (!node.present || part.fate !== undefined) return;
    if (section !== 'requirements') {
      this.#into(id, node, part, [section], type);
      return;
    }
    for (const [name] of node.named()) {
      if (part.below.has(name) || name === 'dependency') continue;
      this.#unknown(id, name, [section], [...part.below.keys()], type);
    }
  }

  #into(id: string, node: YamlNode, part: Part, path: readonly string[], type: string): undefined {
    const each = part.below.get('*');
    if (node.isList) {
      if (each === undefined && node.items().length > 0) this.#wrongKind(node, 'a map');
      node
        .items()
        .forEach((item, index) => this.#part(id, item, (index === 0 ? part.below.get('0') : undefined) ?? each, path, type, '*'));
      return;
    }
    if (!node.isMap) {
      if (part.single !== true) this.#wrongKind(node, each === undefined ? 'a map' : 'a list or a map');
      return;
    }
    if (node.at('get_input').present) {
      if (this.translated) node.text(); // it says which input has no value
      return;
    }
    const single = each !== undefined && node.entries().some(([key]) => each.below.has(key));
    if (single) {
      this.#into(id, node, each, [...path, '*'], type);
      return;
    }
    for (const [key, value] of node.entries()) {
      const known = part.below.get(key) ?? each;
      if (known === undefined) this.#unknown(id, key, path, [...part.below.keys()], type, value);
      else this.#part(id, value, known, path, type, part.below.has(key) ? key : '*');
    }
  }

  #part(id: string, node: YamlNode, part: Part | undefined, path: readonly string[], type: string, key: string): void {
    if (part === undefined || !node.present) return;
    const { fate } = part;
    if (fate === undefined) {
      this.#into(id, node, part, [...path, key], type);
      return;
    }
    if (typeof fate === 'string' || !this.translated || says(node, false)) return;
    if (fate.tosca.endsWith('number_of_ip_address') && node.asInteger() === 1) return;
    this.warnings.add(id, `${fate.tosca} is left out: ${fate.note}`);
  }

  #unknown(id: string, key: string, path: readonly string[], names: readonly string[], type: string, value?: YamlNode): void {
    if (value !== undefined && !saysSomething(value)) return;
    const like = nearest(key, names.filter((name) => name !== '*' && name !== '0' && name !== key)); // prettier-ignore
    if (!this.translated && like === undefined) return;
    const hint = like === undefined ? 'nothing reads it' : `nothing reads it; is "${like}" meant?`;
    this.warnings.add(id, `${type}: ${nameOfPart([...path, key])} is left out: ${hint}`);
  }

  #wrongKind(node: YamlNode, wanted: string): undefined {
    if (this.translated) throw node.wrong(`should be ${wanted}, is ${node.isList ? 'a list' : 'a single value'}`);
  }
}

/** Not so: nothing, an empty list or map. */
const saysSomething = (node: YamlNode): boolean =>
  node.present && (typeof node.value === 'string' || (node.isList ? node.items() : node.entries()).length > 0);

const says = (node: YamlNode, wanted: boolean): boolean =>
  typeof node.value === 'string' && booleanOf(node.value, false) === wanted;
