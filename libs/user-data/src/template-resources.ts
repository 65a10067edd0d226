import { isJsonObject, RequestError, type Json, type JsonObject } from '@windlass/foundation';
import { plainYaml } from '@windlass/vnf-package';
import type { StackInput } from './prepare-templates.js';

/** A resource that Heat will make, and how many of it. */
export interface TemplateResource {
  /** As its template calls it. */
  name: string;
  /** Tells it apart from those of other templates: `masters/masterNode`. */
  path: string;
  type: string;
  /** Parameters filled in; other functions of Heat stand as they are. */
  properties: JsonObject;
  count: number;
}

/** What a property says that refers to a resource: its path. */
export const referredTo = (value: Json | undefined): string | undefined =>
  isJsonObject(value) && typeof value.$resource === 'string' ? value.$resource : undefined;

/** A text, or a number written as one; undefined for what only Heat can compute. */
export const literal = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;

/** Entries of a list; none where it is no list. */
export const entries = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** The objects of a list. */
export const objects = (value: Json | undefined): JsonObject[] => entries(value).filter(isJsonObject);

/** The image that a server boots from, by itself or by the volume that Nova makes of it. */
export const bootedFrom = (properties: JsonObject): string | undefined =>
  literal(properties.image) ?? objects(properties.block_device_mapping_v2).flatMap(({ image }) => literal(image) ?? [])[0];

/** Heat's own default for max_nested_stack_depth. */
const MAX_NESTING = 5;
const GROUPS = ['OS::Heat::AutoScalingGroup', 'OS::Heat::InstanceGroup'];

/** Declarations that are walked, those of nested templates at each of their places: Heat makes 1,000 resources of a stack unless it is configured otherwise. */
const MOST_DECLARED = 10_000;

/** Reads the text of a template. */
export type TemplateReader = (text: string, name: string) => JsonObject;

/**
 * Every resource of the templates with nested ones, members of groups counted.
 * @param read for who reads the same templates often
 * @throws RequestError 400 `template.too-many-resources` for more declarations than {@link MOST_DECLARED}
 */
export function resourcesOf({ template, files, parameters }: StackInput, read?: TemplateReader): TemplateResource[] {
  const found: TemplateResource[] = [];
  const walked = { files, found, read: read ?? readOnce(), declared: 0 };
  walk({ text: template, name: 'template', parameters, count: 1, path: '', depth: 0 }, walked);
  return found;
}

/** One template may be nested at many places. */
function readOnce(): TemplateReader {
  const known = new Map<string, JsonObject>();
  return (text, name) => {
    const template = known.get(text) ?? plainYaml(text, name);
    known.set(text, template);
    return template;
  };
}

interface Walked {
  files: Readonly<Record<string, string>>;
  found: TemplateResource[];
  read: TemplateReader;
  declared: number;
}

interface Level {
  text: string;
  name: string;
  parameters: JsonObject;
  count: number;
  /** Of the resource that the template is nested in, with a slash. */
  path: string;
  depth: number;
}

function walk(level: Level, walked: Walked): void {
  const { files, found } = walked;
  const template = walked.read(level.text, level.name);
  const parameters = { ...defaultsOf(template), ...level.parameters };
  const declared = isJsonObject(template.resources) ? template.resources : {};
  const add = (name: string, path: string, type: string, properties: JsonObject, count: number): void => {
    const nested = Object.hasOwn(files, type) ? files[type] : undefined;
    if (nested !== undefined && level.depth < MAX_NESTING)
      walk({ text: nested, name: type, parameters: properties, count, path: `${path}/`, depth: level.depth + 1 }, walked);
    else found.push({ name, path, type, properties, count });
  };
  for (const [name, resource] of Object.entries(declared)) {
    if (!isJsonObject(resource)) continue;
    walked.declared += 1;
    if (walked.declared > MOST_DECLARED) throw tooMany();
    const path = `${level.path}${name}`;
    const resolved = filled(resource.properties ?? {}, parameters, level.path);
    const properties = isJsonObject(resolved) ? resolved : {};
    const type = typeof resource.type === 'string' ? resource.type : '';
    const member = memberOf(type, properties);
    if (member === undefined) add(name, path, type, properties, level.count);
    else {
      found.push({ name, path, type, properties, count: level.count });
      add(name, path, member.type, member.properties, level.count * member.count);
    }
  }
}

/** What a group multiplies. */
function memberOf(type: string, properties: JsonObject): { type: string; properties: JsonObject; count: number } | undefined {
  const isGroup = GROUPS.includes(type);
  const member = isGroup ? properties.resource : type === 'OS::Heat::ResourceGroup' ? properties.resource_def : undefined;
  if (!isJsonObject(member) || typeof member.type !== 'string') return undefined;
  const size = Number(literal(isGroup ? (properties.desired_capacity ?? properties.min_size) : properties.count) ?? 1);
  return {
    type: member.type,
    properties: isJsonObject(member.properties) ? member.properties : {},
    count: Number.isInteger(size) && size >= 0 ? size : 1,
  };
}

const defaultsOf = ({ parameters }: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(isJsonObject(parameters) ? parameters : {}).flatMap(([name, parameter]) =>
      isJsonObject(parameter) && parameter.default !== undefined ? [[name, parameter.default]] : [],
    ),
  );

/** `get_param`, `get_resource` and `get_attr` filled in; the last two by the path of the resource. */
function filled(value: Json, parameters: JsonObject, scope: string): Json {
  if (Array.isArray(value)) return value.map((entry) => filled(entry, parameters, scope));
  if (!isJsonObject(value)) return value;
  const [only, ...others] = Object.entries(value);
  if (only !== undefined && others.length === 0) {
    const [name, argument] = only;
    if (name === 'get_param') return parameterAt(filled(argument, parameters, scope), parameters);
    if (name === 'get_resource' && typeof argument === 'string') return { $resource: `${scope}${argument}` };
    if (name === 'get_attr' && Array.isArray(argument)) return { $resource: `${scope}${literal(argument[0]) ?? ''}` };
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, parameters, scope)]));
}

function parameterAt(asked: Json, parameters: JsonObject): Json {
  const path = (Array.isArray(asked) ? asked : [asked]).map((step) => literal(step) ?? '');
  let value: Json | undefined = parameters;
  for (const step of path) {
    const inner: Json | undefined = typeof value === 'string' ? undefined : value;
    if (Array.isArray(inner)) value = inner[Number(step)];
    else value = isJsonObject(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined;
  }
  return value ?? null;
}

const tooMany = (): RequestError =>
  new RequestError(
    400,
    'template.too-many-resources',
    `the templates declare more than ${MOST_DECLARED} resources, those of nested ones at each of their places: Heat makes far fewer of a stack`,
  );
