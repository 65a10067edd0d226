import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { shortId } from '../../state/ids.js';
import type { Stack, StackInput, StackResource } from '../../state/state.js';
import { walk } from '../template/function-parts.js';
import { invalidTemplate } from '../template/heat-errors.js';
import { canonical, list, map, text, whole } from '../template/properties.js';
import { byRemovalOrder, type ResourceType, type Work } from './resource-type.js';

type Member = [name: string, definition: JsonObject];

const number = (properties: JsonObject, name: string): number | undefined => {
  const value = properties[name];
  return typeof value === 'number' ? value : undefined;
};

const rollingUpdates = { min_in_service: whole({ min: 0 }), max_batch_size: whole({ min: 1 }), pause_time: whole({ min: 0 }) };

export const autoScalingGroupType: ResourceType = {
  name: 'OS::Heat::AutoScalingGroup',
  properties: {
    resource: map(undefined, { required: true, update: true }),
    min_size: whole({ required: true, update: true, min: 0 }),
    max_size: whole({ required: true, update: true, min: 0 }),
    desired_capacity: whole({ update: true }),
    cooldown: whole({ update: true }),
    rolling_updates: map(rollingUpdates, { update: true }),
  },
  attributes: ['outputs', 'outputs_list', 'current_size', 'refs', 'refs_map', 'show'],
  validate: (_name, properties) => checkSizes(properties),
  nested: {
    label: 'nested_stack',
    inputs(work, current) {
      const definition = definitionOf(work.properties);
      if (current === undefined)
        return [groupInput(work, sized([], definition, initialSize(work.properties), Number.POSITIVE_INFINITY))];
      return resized(work, current, definition, number(work.properties, 'desired_capacity'));
    },
  },
  attribute: groupAttribute,
  // Heat itself shows these as null, for it does not evaluate them here.
  show: () => ({ current_size: null, refs_map: null, outputs_list: null, refs: null, outputs: null }),
};

function checkSizes(properties: JsonObject): void {
  const [min, max, desired] = ['min_size', 'max_size', 'desired_capacity'].map((name) => number(properties, name));
  if (min === undefined || max === undefined) return;
  if (max < min) throw invalidTemplate('MinSize can not be greater than MaxSize');
  if (desired !== undefined && (desired < min || desired > max)) {
    throw invalidTemplate('DesiredCapacity must be between MinSize and MaxSize');
  }
}

const definitionOf = (properties: JsonObject): JsonObject => (isJsonObject(properties.resource) ? properties.resource : {});

const initialSize = (properties: JsonObject): number =>
  (number(properties, 'desired_capacity') ?? 0) || (number(properties, 'min_size') ?? 1);

/**
 * The members for a group of that size: of the old ones, those first in order leave; `renewals` counts how many get the new
 * definition, new members included.
 */
function sized(old: Member[], definition: JsonObject, size: number, renewals: number): Member[] {
  const staying = size === 0 ? [] : old.slice(-size);
  let renew = renewals - (size - staying.length);
  const kept = staying.map(([name, current]): Member => {
    if (canonical(current) === canonical(definition) || renew <= 0) return [name, current];
    renew -= 1;
    return [name, definition];
  });
  const added = Array.from({ length: size - staying.length }, (): Member => [shortId(), definition]);
  return [...kept, ...added];
}

/** The steps of a group's update: a new definition reaches the members in batches, then the size is set. */
function resized(work: Work, current: Stack, definition: JsonObject, desired: number | undefined): StackInput[] {
  const { properties } = work;
  let members = membersOf(current);
  const healthy = current.resources.filter((one) => one.status !== 'FAILED').length;
  const inputs: StackInput[] = [];
  const outdated = (): number => members.filter(([, one]) => canonical(one) !== canonical(definition)).length;
  const policy = properties.rolling_updates;
  const batch = isJsonObject(policy) ? (number(policy, 'max_batch_size') ?? 1) : 1;
  const during = Math.min(desired === undefined || desired === 0 ? members.length : desired, members.length);
  while (outdated() > 0 && inputs.length < members.length) {
    const next = sized(members, definition, during, batch);
    const stuck = canonical(next) === canonical(members);
    members = next;
    if (stuck) break;
    inputs.push(groupInput(work, members));
  }
  return [
    ...inputs,
    groupInput(
      work,
      sized(members, definition, clamped(properties, desired === undefined || desired === 0 ? healthy : desired), 0),
    ),
  ];
}

const clamped = (properties: JsonObject, size: number): number =>
  Math.min(Math.max(size, number(properties, 'min_size') ?? 0), number(properties, 'max_size') ?? size);

/** Names and definitions of the members, in the order in which they would be removed. */
function membersOf(current: Stack): Member[] {
  const declared = current.input.template.resources;
  const definitions = isJsonObject(declared) ? declared : {};
  return byRemovalOrder(current.resources).flatMap((one): Member[] => {
    const definition = definitions[one.name];
    return isJsonObject(definition) ? [[one.name, definition]] : [];
  });
}

function groupInput(work: Work, members: Member[]): StackInput {
  return {
    template: {
      heat_template_version: '2015-04-30',
      resources: Object.fromEntries(members),
      outputs: { refs_map: { value: Object.fromEntries(members.map(([name]) => [name, { get_resource: name }])) } },
    },
    files: work.stack.input.files,
    environment: withoutParameters(work.stack.input.environment),
    parameters: {},
  };
}

/** What a nested stack inherits of its parent's environment. */
export const withoutParameters = (environment: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => name === 'resource_registry'));

/** How a policy's adjustment changes the group, or undefined when it changes nothing. */
export function scaled(group: Work, policy: JsonObject): StackInput | undefined {
  const current = group.nested();
  if (current === undefined || group.resource.status !== 'COMPLETE') return undefined;
  const size = current.resources.filter((one) => one.status !== 'FAILED').length;
  const by = number(policy, 'scaling_adjustment') ?? 0;
  const wanted = adjusted(size, by, policy.adjustment_type ?? null, number(policy, 'min_adjustment_step'));
  const target = clamped(group.properties, wanted);
  if (target === size) return undefined;
  return groupInput(group, sized(membersOf(current), definitionOf(group.properties), target, 0));
}

function adjusted(size: number, by: number, type: Json, step: number | undefined): number {
  if (type === 'exact_capacity') return by;
  if (type === 'change_in_capacity') return size + by;
  const delta = (size * by) / 100;
  const whole = Math.abs(delta) < 1 ? Math.sign(delta) : Math.trunc(delta);
  return size + (step !== undefined && Math.abs(whole) < step ? step * Math.sign(by) : whole);
}

function groupAttribute(work: Work, name: string, path: Json[]): Json {
  const current = work.nested();
  if (current === undefined) return null;
  const members = byRemovalOrder(current.resources.filter((one) => one.status !== 'FAILED'));
  const mapped = (of: (member: StackResource) => Json): JsonObject =>
    Object.fromEntries(members.map((one) => [one.name, of(one)]));
  switch (name) {
    case 'current_size':
      return members.length;
    case 'refs':
      return (
        walk(
          members.map((one) => work.nestedReference(one)),
          path,
        ) ?? null
      );
    case 'refs_map':
      return (
        walk(
          mapped((one) => work.nestedReference(one)),
          path,
        ) ?? null
      );
    case 'outputs':
      return mapped((one) => work.nestedAttribute(one, path));
    case 'outputs_list':
      return members.map((one) => work.nestedAttribute(one, path));
    default:
      return numberedMember(work, members, name, path);
  }
}

/** `resource.0` is a member's reference, `resource.0.ip` an attribute of it. */
function numberedMember(work: Work, members: StackResource[], name: string, path: Json[]): Json {
  const [, index, ...attribute] = name.split('.');
  const member = members.find((one) => one.name === index) ?? members[Number(index)];
  if (member === undefined) return null;
  const way = [...(attribute.length === 0 ? [] : [attribute.join('.')]), ...path];
  return way.length === 0 ? work.nestedReference(member) : work.nestedAttribute(member, way);
}

export const resourceGroupType: ResourceType = {
  name: 'OS::Heat::ResourceGroup',
  properties: {
    count: whole({ update: true, min: 0 }),
    index_var: text(),
    resource_def: map(undefined, { required: true, update: true }),
    removal_policies: list(map({ resource_list: list(text()) }), { update: true }),
    removal_policies_mode: text({ update: true, allowed: ['append', 'update'] }),
  },
  attributes: ['refs', 'refs_map', 'attributes', 'removed_rsrc_list', 'show', '*'],
  nested: {
    label: 'nested_stack',
    inputs: (work, current) => [groupInput(work, indexedMembers(work, current))],
  },
  attribute: resourceGroupAttribute,
  show: () => ({ removed_rsrc_list: [], refs: null, refs_map: null, attributes: null }),
};

/** Members `0`, `1`, ... without those that the removal policies name. */
function indexedMembers(work: Work, current: Stack | undefined): Member[] {
  const { properties } = work;
  const count = number(properties, 'count') ?? 1;
  const variable = typeof properties.index_var === 'string' ? properties.index_var : '%index%';
  const removed = removedNames(properties, current);
  const definition = isJsonObject(properties.resource_def) ? properties.resource_def : {};
  const members: Member[] = [];
  for (let index = 0; members.length < count; index += 1) {
    const name = String(index);
    if (removed.has(name)) continue;
    const own = withIndex(definition, variable, name);
    members.push([name, isJsonObject(own) ? own : {}]);
  }
  return members;
}

function removedNames(properties: JsonObject, current: Stack | undefined): Set<string> {
  const policies = Array.isArray(properties.removal_policies) ? properties.removal_policies : [];
  const listed = policies.flatMap((policy) =>
    isJsonObject(policy) && Array.isArray(policy.resource_list) ? policy.resource_list.map(String) : [],
  );
  return new Set(
    listed.map((one) => current?.resources.find((member) => member.physicalId === one || member.name === one)?.name ?? one),
  );
}

function withIndex(value: Json, variable: string, index: string): Json {
  if (typeof value === 'string') return value.replaceAll(variable, index);
  if (Array.isArray(value)) return value.map((entry) => withIndex(entry, variable, index));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withIndex(member, variable, index)]));
}

function resourceGroupAttribute(work: Work, name: string, path: Json[]): Json {
  const current = work.nested();
  if (current === undefined) return null;
  const members = [...current.resources].sort((one, other) => Number(one.name) - Number(other.name));
  if (name.startsWith('resource.')) return numberedMember(work, members, name, path);
  if (name === 'refs')
    return (
      walk(
        members.map((one) => work.nestedReference(one)),
        path,
      ) ?? null
    );
  if (name === 'refs_map') return Object.fromEntries(members.map((one) => [one.name, work.nestedReference(one)]));
  if (name === 'removed_rsrc_list') return [];
  if (name === 'attributes') return Object.fromEntries(members.map((one) => [one.name, work.nestedAttribute(one, path)]));
  return members.map((one) => work.nestedAttribute(one, [name, ...path]));
}
