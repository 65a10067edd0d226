import { Tosca, type TypeTree } from './type-tree.js';
import { DEFAULT_YAML_LIMITS } from '../refusals/limits.js';
import { withInputs } from '../yaml/inputs.js';
import type { Yaml } from '../yaml/parse-yaml.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/** Characters of one topology with its inputs put in. */
const CHARACTERS = DEFAULT_YAML_LIMITS.characters;

function putIn(raw: YamlNode, value: Yaml, inputs: ReadonlyMap<string, Yaml>): Yaml {
  const made = withInputs(value, inputs, CHARACTERS);
  if (made === undefined) throw raw.wrong(`is larger than ${CHARACTERS} characters with its inputs put in`, 'yaml.expansion');
  return made;
}

/** With the properties that a node has by the default of its type, where that is the package's own. */
function withDefaults(root: YamlNode, types: TypeTree): YamlNode {
  const templates = root.at('node_templates');
  if (!root.isMap || !templates.isMap) return root;
  const nodes = templates.entries().map(([name, node]): [string, Yaml] => {
    const value = node.value ?? '';
    const type = node.at('type').value;
    if (Array.isArray(value) || typeof type !== 'string' || typeof value === 'string') return [name, value];
    const defaults = types.ownDefaults(type);
    const own = node.at('properties');
    if (Object.keys(defaults).length === 0 || (own.present && !own.isMap)) return [name, value];
    return [
      name,
      {
        ...value,
        properties: { ...defaults, ...Object.fromEntries(own.entries().map(([key, each]) => [key, each.value ?? ''])) },
      },
    ];
  });
  return root.withValue({ ...(root.value as Record<string, Yaml>), node_templates: Object.fromEntries(nodes) });
}

/** A `topology_template` with its inputs put in. */
export class Topology {
  readonly #root: YamlNode;

  /** `given` are inputs that have a value from outside; others take their default. */
  constructor(
    file: YamlNode,
    readonly types: TypeTree,
    given: ReadonlyMap<string, Yaml> = new Map(),
  ) {
    const raw = file.at('topology_template');
    const inputs = new Map<string, Yaml>();
    for (const [name, input] of raw.at('inputs').entries()) {
      const value = input.at('default').value;
      if (value !== undefined) inputs.set(name, value);
    }
    for (const [name, value] of given) inputs.set(name, value);
    this.#root = withDefaults(raw.withValue(raw.value === undefined ? undefined : putIn(raw, raw.value, inputs)), types);
  }

  at(...keys: string[]): YamlNode {
    return this.#root.at(...keys);
  }

  /** Node templates of a type or of one derived from it, by name. */
  nodes(base: string): [string, YamlNode][] {
    return this.at('node_templates')
      .entries()
      .filter(([, node]) => this.types.isA(node.at('type').text(), base));
  }

  /** Policies of a type or of one derived from it, by name. */
  policies(base: string): [string, YamlNode][] {
    return this.at('policies')
      .named()
      .filter(([, policy]) => this.types.isA(policy.at('type').text(), base));
  }

  /** Members of the placement groups, by the group's name. */
  placementGroups(): Map<string, string[]> {
    const groups = this.at('groups')
      .named()
      .filter(([, group]) => this.types.isA(group.at('type').text(), Tosca.placementGroup));
    return new Map(
      groups.map(([name, group]) => [
        name,
        group
          .at('members')
          .items()
          .map((member) => member.requiredText()),
      ]),
    );
  }
}
