import type { Definitions } from './load-definitions.js';
import { readLcmBindings } from './lcm-bindings.js';
import type { Flavour } from '../model/model.js';
import { defined, readConnectionPoints, readStorages, readVdus, readVirtualLinks } from './nodes.js';
import { readPolicies } from './policies.js';
import { Topology } from './topology.js';
import { Tosca, type TypeTree } from './type-tree.js';
import { InvariantError } from '@windlass/foundation';
import type { Csar } from '../archive/csar.js';
import { contradictions } from '../agreement/contradictions.js';
import { Faults } from '../refusals/faults.js';
import { PackageError, type PackageWarning } from '../refusals/package-error.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/** What the VNFD says of its flavours. */
export interface ReadFlavours {
  flavours: Flavour[];
  /** The topology of each, by the flavour's id: the model has only what is needed of it. */
  topologies: ReadonlyMap<string, Topology>;
  warnings: PackageWarning[];
}

/**
 * All deployment flavours: the files whose `substitution_mappings` give a `flavour_id` by a property or by a filter, else whose VNF node does (SOL001 6.8.1): by itself, by the
 * default of its type or by the default of the input that it takes. A file that has the VNF's node alone is one where nothing else is.
 * @throws PackageError `vnfd.no-flavour`, `vnfd.invalid`.
 */
export function readFlavours(definitions: Definitions, types: TypeTree, csar: Csar): ReadFlavours {
  const warnings: PackageWarning[] = [];
  const flavours: Flavour[] = [];
  const topologies = new Map<string, Topology>();
  const faults = new Faults();
  for (const { id, file } of faults.keep(() => flavourFiles(definitions, types)) ?? []) {
    const twin = flavours.find((flavour) => flavour.id === id);
    if (twin !== undefined)
      throw new PackageError('vnfd.invalid', `defines the flavour "${id}", and so does ${twin.file}`, { member: file.file });
    faults.keep(() => {
      const topology = topologyOf(id, file, types);
      topologies.set(id, topology);
      flavours.push(readFlavour(id, topology, file, csar, warnings));
    });
  }
  faults.throwIfAny();
  if (flavours.length === 0) {
    throw new PackageError(
      'vnfd.no-flavour',
      'neither it nor what it imports defines a deployment flavour: give flavour_id among the properties of topology_template.substitution_mappings, or of the node of the VNF',
      { member: definitions.top.file },
    );
  }
  return { flavours, topologies, warnings };
}

interface FlavourFile {
  id: string;
  file: YamlNode;
}

function flavourFiles({ files }: Definitions, types: TypeTree): FlavourFile[] {
  const mapped = new Map(files.flatMap((file) => withId(file, mappedId(file, types))).map(({ id, file }) => [file, id]));
  const ofNodes = files.filter((file) => !mapped.has(file)).flatMap((file) => withId(file, idOfNode(file, types)));
  const known = new Set(mapped.values());
  const whole = ofNodes.filter(({ id, file }) => !known.has(id) && hasMoreThanVnf(file, types));
  const found = new Map([...mapped].map(([file, id]) => [file, id]));
  for (const { id, file } of whole) found.set(file, id);
  if (found.size === 0) return ofNodes.slice(0, 1);
  return files.flatMap((file) => withId(file, found.get(file)));
}

const withId = (file: YamlNode, id: string | undefined): FlavourFile[] => (id === undefined ? [] : [{ id, file }]);

const hasMoreThanVnf = (file: YamlNode, types: TypeTree): boolean =>
  file
    .at('topology_template', 'node_templates')
    .entries()
    .some(([, node]) => !types.isA(node.at('type').text(), Tosca.vnf));

/** The flavour that the file's VNF node says it is of; undefined where it takes an input that has no value. */
function idOfNode(file: YamlNode, types: TypeTree): string | undefined {
  if (!file.at('topology_template').present) return undefined;
  const [found] = new Topology(file, types).nodes(Tosca.vnf);
  const own = found?.[1].at('properties', 'flavour_id');
  if (found === undefined || own?.isMap === true) return undefined;
  return own?.text() ?? types.propertyDefault(found[1].at('type').text(), 'flavour_id').text();
}

function mappedId(file: YamlNode, types: TypeTree): string | undefined {
  if (!file.at('topology_template', 'substitution_mappings').present) return undefined;
  const mappings = new Topology(file, types).at('substitution_mappings');
  const id = mappings.at('properties', 'flavour_id');
  if (!id.present) return filteredId(mappings.at('substitution_filter', 'properties'));
  if (!id.isList) return id.requiredText();
  // TOSCA 1.3 maps a property to an input by a list of its name.
  const [input] = id.items();
  return input === undefined ? undefined : file.at('topology_template', 'inputs', input.requiredText(), 'default').text();
}

/** TOSCA 1.3 says by a filter which of a type's nodes a file stands for: `- flavour_id: { equal: simple }`. */
function filteredId(properties: YamlNode): string | undefined {
  const constraint = properties.named().find(([name]) => name === 'flavour_id')?.[1];
  if (constraint === undefined) return undefined;
  const each = constraint.isList ? constraint.items() : [constraint];
  return each.map((one) => one.at('equal').text()).find((value) => value !== undefined);
}

const topologyOf = (id: string, file: YamlNode, types: TypeTree): Topology =>
  new Topology(
    file,
    types,
    new Map([
      ['selected_flavour', id],
      ['flavour_id', id],
    ]),
  );

function readFlavour(id: string, topology: Topology, file: YamlNode, csar: Csar, warnings: PackageWarning[]): Flavour {
  const faults = new Faults();
  const parts = {
    cps: faults.keep(() => readConnectionPoints(topology)) ?? [],
    virtualLinks: faults.keep(() => readVirtualLinks(topology)) ?? [],
    storages: faults.keep(() => readStorages(topology, csar)) ?? [],
    lcmBindings: faults.keep(() => readLcmBindings(topology, csar, warnings)) ?? {},
  };
  const vdus = faults.keep(() => readVdus(topology, csar)) ?? [];
  // What names a VDU that could not be read would be told of as if there were none.
  const policies = faults.any ? undefined : readPolicies(topology, vdus);
  faults.throwIfAny();
  if (policies === undefined) throw new InvariantError('a flavour without faults has policies');
  warnings.push(...policies.warnings.map((warning) => ({ ...warning, subject: `${file.file}, ${warning.subject}` })));
  const flavour: Flavour = {
    id,
    description: describeFlavour(topology, file),
    file: file.file,
    vdus: vdus.map((vdu) => ({ ...vdu, ...defined({ initialInstances: policies.initialInstances.get(vdu.id) }) })),
    ...parts,
    scalingAspects: policies.aspects,
    instantiationLevels: policies.levels,
    affinityRules: policies.affinityRules,
    ...defined({ defaultInstantiationLevelId: policies.defaultLevelId }),
  };
  checkReferences(flavour, file);
  warnings.push(...contradictions(flavour));
  return flavour;
}

function describeFlavour(topology: Topology, file: YamlNode): string {
  const described = [
    ...topology.nodes(Tosca.vnf).map(([, vnf]) => vnf.at('properties', 'flavour_description')),
    topology.at('substitution_mappings', 'properties', 'flavour_description'),
    file.at('description'),
  ].find((node) => node.present && !node.isMap);
  return described?.text() ?? '';
}

/** Requirements that point to nowhere would surface as a port without a server, long after the package was accepted. */
function checkReferences(flavour: Flavour, file: YamlNode): void {
  const nodes = file.at('topology_template', 'node_templates');
  const check = (from: string, to: string | undefined, known: readonly { id: string }[], what: string) => {
    if (to === undefined || known.some(({ id }) => id === to)) return;
    throw nodes.at(from, 'requirements').wrong(`names "${to}", which is no ${what} of the flavour`);
  };
  for (const cp of flavour.cps) {
    check(cp.id, cp.vduId, flavour.vdus, 'VDU');
    if (!cp.external) check(cp.id, cp.virtualLinkId, flavour.virtualLinks, 'VnfVirtualLink');
  }
  for (const vdu of flavour.vdus) {
    for (const storage of vdu.storageIds) check(vdu.id, storage, flavour.storages, 'storage');
  }
}
