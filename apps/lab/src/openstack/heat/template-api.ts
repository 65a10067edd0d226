import { pythonStr } from '../http/python-json.js';
import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { badRequest } from './template/heat-errors.js';
import { typeNamed } from './registry.js';
import { inputOf } from './stack-requests.js';
import { parseTemplate } from './template/template.js';

const KINDS: Record<string, string> = {
  string: 'String',
  number: 'Number',
  json: 'Json',
  comma_delimited_list: 'CommaDelimitedList',
  boolean: 'Boolean',
};

/** `POST validate`: the parameters of a template whose shape and types are right. @throws HttpFailure 400. */
export function validateTemplateOnly(body: Json | undefined): JsonObject {
  const input = isJsonObject(body) ? inputOf(body) : undefined;
  if (input === undefined) throw badRequest('No template specified');
  const template = parseTemplate(input.template);
  for (const definition of template.resources.values()) {
    try {
      typeNamed(definition.type, input);
    } catch (error) {
      throw badRequest(error instanceof Error ? error.message : String(error));
    }
  }
  return {
    Description: template.description,
    Parameters: Object.fromEntries(
      Object.entries(template.parameters).map(([name, schema]) => [name, parameterView(name, schema)]),
    ),
    Environment: { resource_registry: { resources: {} }, parameters: input.parameters, parameter_defaults: {}, event_sinks: [] },
  };
}

function parameterView(name: string, schema: Json): JsonObject {
  const { type, description, hidden, label, default: fallback } = isJsonObject(schema) ? schema : {};
  return {
    Type: KINDS[pythonStr(type)] ?? pythonStr(type),
    Description: description ?? '',
    NoEcho: hidden === true ? 'true' : 'false',
    Label: label ?? name,
    ...(fallback === undefined ? {} : { Default: fallback }),
  };
}
