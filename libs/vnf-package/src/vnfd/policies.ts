import type { AffinityRule, InstantiationLevel, ScalingAspect, Vdu } from '../model/model.js';
import type { Topology } from './topology.js';
import { Tosca } from './type-tree.js';
import type { PackageWarning } from '../refusals/package-error.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/** What the policies of a flavour say about scaling and placement. */
export interface Policies {
  aspects: ScalingAspect[];
  levels: InstantiationLevel[];
  defaultLevelId: string | undefined;
  initialInstances: Map<string, number>;
  affinityRules: AffinityRule[];
  warnings: PackageWarning[];
}

/** @throws PackageError `vnfd.invalid` where a policy names a VDU, an aspect or a level that the flavour does not define. */
export function readPolicies(topology: Topology, vdus: readonly Vdu[]): Policies {
  const warnings: PackageWarning[] = [];
  const targets = new Targets(topology, vdus);
  const aspects = readAspects(topology, targets, warnings);
  const { levels, defaultLevelId } = readLevels(topology, aspects, warnings);
  addVduLevels(topology, targets, levels);
  checkLinkLevels(topology, levels);
  const initialInstances = new Map<string, number>();
  const once = new SaidOnce();
  for (const [name, policy] of topology.policies(Tosca.initialDelta)) {
    const number = policy.at('properties', 'initial_delta', 'number_of_instances');
    const count = number.requiredCount();
    for (const vduId of targets.vdus(policy)) {
      once.check(name, number, count, vduId);
      initialInstances.set(vduId, count);
    }
  }
  warnings.push(...withoutVdu(topology, targets));
  return { aspects, levels, defaultLevelId, initialInstances, affinityRules: readAffinityRules(topology, targets), warnings };
}

/** Whom a policy is for. */
class Targets {
  readonly #groups: Map<string, string[]>;
  readonly #vduIds: ReadonlySet<string>;
  readonly #nodes: ReadonlySet<string>;

  constructor(topology: Topology, vdus: readonly Vdu[]) {
    this.#groups = topology.placementGroups();
    this.#vduIds = new Set(vdus.map(({ id }) => id));
    this.#nodes = new Set(
      topology
        .at('node_templates')
        .entries()
        .map(([name]) => name),
    );
  }

  /** VDUs among the targets, members of groups included. */
  vdus(policy: YamlNode): string[] {
    const found = policy
      .at('targets')
      .items()
      .flatMap((target) => {
        const name = target.requiredText();
        const members = this.#groups.get(name);
        if (members === undefined && !this.#nodes.has(name))
          throw target.wrong(`names "${name}", which the flavour does not define`);
        return members ?? [name];
      });
    return [...new Set(found)].filter((name) => this.#vduIds.has(name));
  }

  groups(policy: YamlNode): string[] {
    return policy
      .at('targets')
      .items()
      .map((target) => target.requiredText())
      .filter((name) => this.#groups.has(name));
  }
}

/** What several policies say of the same thing has to be the same. */
class SaidOnce {
  readonly #said = new Map<string, { name: string; count: number }>();

  /** @throws PackageError where another policy says another number */
  check(name: string, node: YamlNode, count: number, ...of: string[]): void {
    const key = JSON.stringify(of);
    const other = this.#said.get(key);
    if (other !== undefined && other.count !== count)
      throw node.wrong(
        `is ${count} for "${of.at(-1) ?? ''}", and the policy "${other.name}" says ${other.count}: remove one of them`,
      );
    this.#said.set(key, { name, count });
  }
}

/** Policies for VDUs whose targets have none: nothing comes of them. */
function withoutVdu(topology: Topology, targets: Targets): PackageWarning[] {
  const types = [Tosca.initialDelta, Tosca.scalingDeltas, Tosca.vduLevels, Tosca.affinity, Tosca.antiAffinity];
  return types
    .flatMap((type) => topology.policies(type))
    .filter(([, policy]) => targets.vdus(policy).length === 0)
    .map(([subject]) => ({
      code: 'vnfd.no-target',
      subject,
      reason: 'nothing comes of it: its targets have no VDU; name the VDUs that it is for in targets',
    }));
}

function readAspects(topology: Topology, targets: Targets, warnings: PackageWarning[]): ScalingAspect[] {
  const aspects = new Map<string, { aspect: ScalingAspect; steps: string[] }>();
  for (const [, policy] of topology.policies(Tosca.scalingAspects)) {
    for (const [id, node] of policy.at('properties', 'aspects').entries()) {
      const aspect: ScalingAspect = {
        id,
        name: node.at('name').text() ?? id,
        description: node.at('description').text() ?? '',
        maxScaleLevel: node.at('max_scale_level').requiredCount(),
        deltas: [],
      };
      const steps = node
        .at('step_deltas')
        .items()
        .map((step) => step.requiredText());
      aspects.set(id, { aspect, steps });
    }
  }
  const once = new SaidOnce();
  for (const [name, policy] of topology.policies(Tosca.scalingDeltas)) {
    const aspectId = policy.at('properties', 'aspect');
    const found = aspects.get(aspectId.requiredText());
    if (found === undefined)
      throw aspectId.wrong(`names the aspect "${aspectId.requiredText()}", which no ScalingAspects policy defines`);
    const deltas = new Map(policy.at('properties', 'deltas').entries());
    const step = found.steps.find((id) => deltas.has(id));
    const absent = found.steps.filter((id) => !deltas.has(id));
    if (absent.length > 0) {
      const reason = `has no delta ${absent
        .slice(0, 5)
        .map((id) => `"${id}"`)
        .join(', ')}, which step_deltas of "${found.aspect.id}" names: every step takes the first that it has`;
      warnings.push({ code: 'vnfd.unknown-delta', subject: name, reason });
    }
    const delta = step === undefined ? [...deltas.values()][0] : deltas.get(step);
    if (delta === undefined) throw policy.at('properties', 'deltas').wrong('defines no delta');
    if (new Set([...deltas.values()].map((node) => node.at('number_of_instances').requiredCount())).size > 1) {
      warnings.push({
        code: 'vnfd.uniform-delta',
        subject: name,
        reason: 'its deltas differ; every step takes the first, as in uniform scaling',
      });
    }
    const instances = delta.at('number_of_instances').requiredCount();
    for (const vduId of targets.vdus(policy)) {
      once.check(name, delta.at('number_of_instances'), instances, found.aspect.id, vduId);
      if (!found.aspect.deltas.some((known) => known.vduId === vduId)) found.aspect.deltas.push({ vduId, instances });
    }
  }
  return [...aspects.values()].map(({ aspect }) => aspect);
}

function readLevels(topology: Topology, aspects: readonly ScalingAspect[], warnings: PackageWarning[]) {
  const levels: InstantiationLevel[] = [];
  let defaultLevelId: string | undefined;
  for (const [name, policy] of topology.policies(Tosca.instantiationLevels)) {
    for (const [id, node] of policy.at('properties', 'levels').entries()) {
      const scaleLevels = node
        .at('scale_info')
        .entries()
        .map(([aspectId, info]) => scaleLevel(aspectId, info, aspects));
      levels.push({ id, description: node.at('description').text() ?? '', scaleLevels, vduInstances: [] });
    }
    const given = policy.at('properties', 'default_level');
    defaultLevelId = given.text();
    if (defaultLevelId !== undefined && !levels.some(({ id }) => id === defaultLevelId)) {
      throw given.wrong(`is "${defaultLevelId}", which is none of the levels`);
    }
    if (defaultLevelId === undefined && levels[0] !== undefined) {
      defaultLevelId = levels[0].id;
      if (levels.length > 1) {
        warnings.push({
          code: 'vnfd.default-level',
          subject: name,
          reason: `names no default_level; "${defaultLevelId}" is taken`,
        });
      }
    }
  }
  return { levels, defaultLevelId };
}

function scaleLevel(aspectId: string, info: YamlNode, aspects: readonly ScalingAspect[]) {
  const aspect = aspects.find(({ id }) => id === aspectId);
  if (aspect === undefined) throw info.wrong(`is about the aspect "${aspectId}", which no ScalingAspects policy defines`);
  const level = info.at('scale_level').requiredCount();
  if (level > aspect.maxScaleLevel) {
    throw info.at('scale_level').wrong(`is ${level}, above the aspect's max_scale_level of ${aspect.maxScaleLevel}`);
  }
  return { aspectId, scaleLevel: level };
}

function addVduLevels(topology: Topology, targets: Targets, levels: readonly InstantiationLevel[]): void {
  const once = new SaidOnce();
  for (const [name, policy] of topology.policies(Tosca.vduLevels)) {
    for (const [id, node] of policy.at('properties', 'levels').entries()) {
      const level = levels.find((candidate) => candidate.id === id);
      if (level === undefined) throw node.wrong('is no level of the InstantiationLevels policy');
      const instances = node.at('number_of_instances').requiredCount();
      for (const vduId of targets.vdus(policy)) {
        once.check(name, node.at('number_of_instances'), instances, id, vduId);
        if (!level.vduInstances.some((known) => known.vduId === vduId)) level.vduInstances.push({ vduId, instances });
      }
    }
  }
}

function checkLinkLevels(topology: Topology, levels: readonly InstantiationLevel[]): void {
  for (const [, policy] of topology.policies(Tosca.linkLevels)) {
    for (const [id, node] of policy.at('properties', 'levels').entries()) {
      if (!levels.some((level) => level.id === id)) throw node.wrong('is no level of the InstantiationLevels policy');
    }
  }
}

/** Those of SOL001 2.3.1 to 4.2.1; capitals are taken, as SOL003 has them. */
const SCOPES: readonly string[] = ['nfvi_node', 'zone', 'zone_group', 'nfvi_pop', 'network_link_and_node'];

function scopeOf(node: YamlNode): string {
  const scope = node.requiredText().toLowerCase();
  if (!SCOPES.includes(scope))
    throw node.wrong(`should be ${SCOPES.slice(0, -1).join(', ')} or ${SCOPES.at(-1) ?? ''}, is "${scope}"`);
  return scope;
}

function readAffinityRules(topology: Topology, targets: Targets): AffinityRule[] {
  const kinds = [
    [Tosca.affinity, 'affinity'],
    [Tosca.antiAffinity, 'anti-affinity'],
  ] as const;
  return kinds.flatMap(([type, kind]) =>
    topology.policies(type).map(([id, policy]) => ({
      id,
      kind,
      scope: scopeOf(policy.at('properties', 'scope')),
      vduIds: targets.vdus(policy),
      groupIds: targets.groups(policy),
    })),
  );
}
