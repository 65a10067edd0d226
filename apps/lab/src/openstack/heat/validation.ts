import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { HttpFailure } from '../http/answer.js';
import { pythonStr } from '../http/python-json.js';
import type { Stack, StackInput } from '../state/state.js';
import { holdsUnknown } from './template/function-parts.js';
import { CircularDependency, ordered } from './graph.js';
import { heatError, invalidTemplate } from './template/heat-errors.js';
import { customCheckFor, lookupFor } from './lookup.js';
import { checkProperties } from './template/properties.js';
import { typeNamed } from './registry.js';
import type { Cloud, ResourceType, Work } from './resources/resource-type.js';
import { nothingKnown, StackModel } from './stack-model.js';

/** Nested stacks may not be nested deeper than this, as in Heat's default configuration. */
const MAX_DEPTH = 5;

/**
 * Checks a stack's input as Heat does before it accepts it: shape, parameters, references, types, properties, nested templates.
 * Names in properties are looked up at the top only; nested ones are found out when they are made.
 * @throws HttpFailure 400 (or 403) in Heat's words.
 */
export function validateStack(cloud: Cloud, stack: Stack, input: StackInput, isAdmin: boolean): StackModel {
  const lookup = lookupFor(cloud, stack);
  const model = new StackModel(input, stack, { check: customCheckFor(lookup) });
  validateModel({ cloud, stack, isAdmin, prefix: '', depth: 0 }, model);
  return model;
}

interface Position {
  cloud: Cloud;
  stack: Stack;
  isAdmin: boolean;
  /** Path of the nested stack, with a dot at its end: `resources.g<nested_stack>.`; empty at the top. */
  prefix: string;
  depth: number;
}

function validateModel(at: Position, model: StackModel): void {
  if (at.depth > MAX_DEPTH)
    throw heatError(400, 'RequestLimitExceeded', `Request limit exceeded: Recursion depth exceeds ${MAX_DEPTH}.`);
  for (const name of inOrder(model)) validateResource(at, model, name);
}

function inOrder(model: StackModel): string[] {
  try {
    return ordered(model.requires);
  } catch (error) {
    if (error instanceof CircularDependency) throw heatError(500, 'RemoteError');
    throw error;
  }
}

function validateResource(at: Position, model: StackModel, name: string): void {
  const definition = model.definitions.get(name);
  if (definition === undefined) return;
  const type = withPath(at, () => typeNamed(definition.type, model.input));
  if (type.adminOnly === true && !at.isAdmin) {
    throw heatError(403, 'Forbidden', `You are not authorized to use resource_types:${type.name}.`);
  }
  checkAttributes(at, model, name);
  const top = at.depth === 0;
  const raw = evaluated(at, model, name);
  if (type.name === 'OS::Heat::None') return;
  if (type.nested !== undefined) checkIntegers(type, raw, `${at.prefix}resources.${name}`);
  const properties = checkProperties(type.properties, raw, `${at.prefix}resources.${name}.properties`, {
    required: top,
    ...(top ? { lookup: lookupFor(at.cloud, at.stack) } : {}),
  });
  type.validate?.(name, properties, at);
  if (type.nested === undefined) return;
  validateNested(at, model, name, type, properties);
}

/** Below the top a missing parameter shows as Heat's reading of the resource fails. */
function evaluated(at: Position, model: StackModel, name: string): JsonObject {
  try {
    return model.properties(name, nothingKnown, at.prefix);
  } catch (error) {
    const missing =
      error instanceof HttpFailure ? /: : (The Parameter \(.*\) was not provided\.)$/.exec(error.message)?.[1] : undefined;
    if (missing === undefined || at.prefix === '') throw error;
    throw invalidTemplate(`ValueError: : ${at.prefix}resources.${name}: : ${missing}`);
  }
}

/** Groups read their sizes before anything else, which gives another message than a wrong property. */
function checkIntegers(type: ResourceType, raw: JsonObject, path: string): void {
  for (const [name, schema] of Object.entries(type.properties)) {
    const value = raw[name];
    if (schema.kind !== 'integer' || value === undefined || value === null || holdsUnknown(value)) continue;
    if (!Number.isInteger(typeof value === 'string' && value.trim() !== '' ? Number(value) : value)) {
      throw invalidTemplate(`ValueError: : ${path}: : Value '${pythonStr(value)}' is not an integer`);
    }
  }
}

function validateNested(at: Position, model: StackModel, name: string, type: ResourceType, properties: JsonObject): void {
  const parent: Stack = { ...at.stack, input: model.input };
  const [input] = type.nested?.inputs(sketch(at.cloud, parent, name, type.name, properties), undefined, undefined) ?? [];
  if (input === undefined) return;
  const prefix = `${at.prefix}resources.${name}<${type.nested?.label ?? ''}>.`;
  const position: Position = { ...at, prefix, depth: at.depth + 1 };
  const nested = withPath(position, () => new StackModel(input, at.stack, { strict: false }));
  validateModel(position, nested);
}

/** A resource that is not made: enough for a type to say what its nested stack would be. */
function sketch(cloud: Cloud, stack: Stack, name: string, type: string, properties: JsonObject): Work {
  const at = stack.createdAt;
  const definition = {
    type,
    properties: {},
    metadata: {},
    dependsOn: [],
    deletionPolicy: 'delete',
    condition: undefined,
    description: '',
  };
  const resource = {
    name,
    type,
    short: '',
    action: 'INIT' as const,
    status: 'COMPLETE' as const,
    reason: '',
    physicalId: null,
    definition,
    properties,
    requires: [],
    data: {},
    createdAt: at,
    updatedAt: at,
  };
  return {
    cloud,
    stack,
    resource,
    properties,
    physicalName: () => `${stack.name}-${name}`,
    nested: () => undefined,
    nestedAttribute: () => null,
    nestedReference: () => null,
    nestedOutput: () => undefined,
  };
}

/** Below the top Heat puts the path before what it found wrong. */
function withPath<T>(at: Position, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof HttpFailure) || at.prefix === '') throw error;
    throw heatError(error.status, error.clientError, `${at.prefix.slice(0, -1)}: : ${error.message}`);
  }
}

/** Every `get_attr` must name an attribute that the other resource's type has. */
function checkAttributes(at: Position, model: StackModel, name: string): void {
  eachAttribute(model.definitions.get(name)?.properties ?? {}, 'properties', (resource, attribute, path) => {
    const target = model.definitions.get(resource);
    if (target === undefined) return;
    const type = typeNamed(target.type, model.input);
    const known = type.attributes.includes(attribute) || type.attributes.includes('*') || attribute.startsWith('resource.');
    if (known) return;
    throw invalidTemplate(
      `${at.prefix}resources.${name}.${path}.get_attr: : The Referenced Attribute (${resource} ${attribute}) is incorrect.`,
    );
  });
}

function eachAttribute(value: Json, path: string, found: (resource: string, attribute: string, path: string) => void): void {
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) eachAttribute(entry, `${path}[${index}]`, found);
    return;
  }
  if (!isJsonObject(value)) return;
  const argument = value.get_attr;
  if (Array.isArray(argument) && typeof argument[0] === 'string' && typeof argument[1] === 'string') {
    found(argument[0], argument[1], path);
  }
  for (const [key, member] of Object.entries(value)) eachAttribute(member, `${path}.${key}`, found);
}
