import type { AffinityRule, InstantiationLevel, ScalingAspect, Vdu } from './model.js';
import type { Topology } from './topology.js';
import { Tosca } from './type-tree.js';
import type { PackageWarning } from '../package-error.js';
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
  for (const [, policy] of topology.policies(Tosca.initialDelta)) {
    const count = policy.at('properties', 'initial_delta', 'number_of_instances').requiredCount();
    for (const vduId of targets.vdus(policy)) initialInstances.set(vduId, count);
  }
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
    for (const vduId of targets.vdus(policy)) found.aspect.deltas.push({ vduId, instances });
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
  for (const [, policy] of topology.policies(Tosca.vduLevels)) {
    for (const [id, node] of policy.at('properties', 'levels').entries()) {
      const level = levels.find((candidate) => candidate.id === id);
      if (level === undefined) throw node.wrong('is no level of the InstantiationLevels policy');
      const instances = node.at('number_of_instances').requiredCount();
      for (const vduId of targets.vdus(policy)) level.vduInstances.push({ vduId, instances });
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

function readAffinityRules(topology: Topology, targets: Targets): AffinityRule[] {
  const kinds = [
    [Tosca.affinity, 'affinity'],
    [Tosca.antiAffinity, 'anti-affinity'],
  ] as const;
  return kinds.flatMap(([type, kind]) =>
    topology.policies(type).map(([id, policy]) => ({
      id,
      kind,
      scope: policy.at('properties', 'scope').requiredText(),
      vduIds: targets.vdus(policy),
      groupIds: targets.groups(policy),
    })),
  );
}
