import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { pythonStr } from '../../http/python-json.js';
import type { ResourceDefinition } from '../../state/state.js';
import { badRequest, heatError, invalidTemplate } from './heat-errors.js';

export const HOT_VERSIONS = [
  '2013-05-23',
  '2014-10-16',
  '2015-04-30',
  '2015-10-15',
  '2016-04-08',
  '2016-10-14',
  '2017-02-24',
  '2017-09-01',
  '2018-03-02',
  '2018-08-31',
  '2021-04-16',
];
const ALIASES: Record<string, string> = {
  newton: '2016-10-14',
  ocata: '2017-02-24',
  pike: '2017-09-01',
  queens: '2018-03-02',
  rocky: '2018-08-31',
  wallaby: '2021-04-16',
};

/** A template whose sections are known to be of the right shape. */
export interface Template {
  /** One of {@link HOT_VERSIONS}. */
  version: string;
  description: string;
  parameters: JsonObject;
  resources: Map<string, ResourceDefinition>;
  outputs: Map<string, { value: Json; description: string; condition: Json | undefined }>;
  conditions: JsonObject;
}

const SECTIONS = ['heat_template_version', 'description', 'parameter_groups', 'parameters', 'resources', 'outputs', 'conditions'];
const RESOURCE_KEYS = [
  'type',
  'properties',
  'metadata',
  'depends_on',
  'deletion_policy',
  'update_policy',
  'description',
  'external_id',
  'condition',
];

/** Checks the shape of a template as Heat does. @throws HttpFailure 400 in Heat's words. */
export function parseTemplate(raw: JsonObject): Template {
  const version = versionOf(raw);
  for (const section of Object.keys(raw)) {
    if (!SECTIONS.includes(section)) throw invalidTemplate(`The template section is invalid: ${section}`);
  }
  const parameters = raw.parameters ?? {};
  if (!isJsonObject(parameters)) throw invalidTemplate('The template section is invalid: parameters');
  const conditions = raw.conditions ?? {};
  if (!isJsonObject(conditions)) throw invalidTemplate('Condition definitions must be a map');
  return {
    version,
    description: pythonStr(raw.description ?? 'No description'),
    parameters,
    resources: resourcesOf(raw.resources ?? {}),
    outputs: outputsOf(raw.outputs ?? {}),
    conditions,
  };
}

function versionOf(raw: JsonObject): string {
  const given = raw.heat_template_version;
  if (given === undefined || given === null) throw badRequest('Template not in valid format: Template format version not found.');
  const text = pythonStr(given);
  const version = ALIASES[text] ?? text;
  if (!HOT_VERSIONS.includes(version)) {
    const known = [...HOT_VERSIONS, ...Object.keys(ALIASES)].join(', ');
    throw heatError(
      400,
      'InvalidTemplateVersion',
      `The template version is invalid: "heat_template_version: ${text}". "heat_template_version" should be one of: ${known}`,
    );
  }
  return version;
}

const PYTHON_TYPES: Record<string, string> = { number: 'int', string: 'str', boolean: 'bool' };
const pythonType = (value: Json): string => {
  if (value === null) return 'NoneType';
  return Array.isArray(value) ? 'list' : (PYTHON_TYPES[typeof value] ?? 'dict');
};

function resourcesOf(section: Json): Map<string, ResourceDefinition> {
  if (!isJsonObject(section))
    throw invalidTemplate(`"resources" must contain a map of resource maps. Found a [<class '${pythonType(section)}'>] instead`);
  const found = new Map<string, ResourceDefinition>();
  for (const [name, definition] of Object.entries(section)) {
    if (!isJsonObject(definition)) {
      throw invalidTemplate(
        `"resources" must contain a map of resource maps. Found a [<class '${pythonType(definition)}'>] instead`,
      );
    }
    found.set(name, definitionOf(name, definition));
  }
  return found;
}

/** One resource of a template, or of a group's `resource` property. */
export function definitionOf(name: string, raw: JsonObject): ResourceDefinition {
  for (const key of Object.keys(raw)) {
    if (!RESOURCE_KEYS.includes(key)) throw invalidTemplate(`"${key}" is not a valid keyword inside a resource definition`);
  }
  const type = raw.type;
  if (type === undefined || type === null) throw invalidTemplate('Each resource must contain a type key.');
  if (typeof type !== 'string') throw invalidTemplate(`Resource ${name} type type must be string`);
  const properties = raw.properties ?? {};
  if (!isJsonObject(properties)) throw invalidTemplate(`Resource ${name} properties type must be Mapping`);
  return {
    type,
    properties,
    metadata: raw.metadata ?? {},
    dependsOn: dependsOn(name, raw.depends_on),
    deletionPolicy: pythonStr(raw.deletion_policy ?? 'delete').toLowerCase(),
    condition: raw.condition,
    description: pythonStr(raw.description ?? ''),
  };
}

function dependsOn(name: string, given: Json | undefined): string[] {
  if (given === undefined || given === null) return [];
  if (typeof given === 'string') return [given];
  if (Array.isArray(given) && given.every((one) => typeof one === 'string')) return given;
  throw invalidTemplate(`Resource ${name} depends_on type must be list or string`);
}

function outputsOf(section: Json): Template['outputs'] {
  if (!isJsonObject(section)) throw invalidTemplate('"outputs" must contain a map of output maps');
  const found: Template['outputs'] = new Map();
  for (const [name, output] of Object.entries(section)) {
    if (!isJsonObject(output) || output.value === undefined) {
      throw invalidTemplate(`Each output must contain a value key.`);
    }
    const description = pythonStr(output.description ?? 'No description given');
    found.set(name, { value: output.value, description, condition: output.condition });
  }
  return found;
}
