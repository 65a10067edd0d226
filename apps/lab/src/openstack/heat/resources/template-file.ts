import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { walk } from '../template/function-parts.js';
import { anything, flag, text, type PropertySchema } from '../template/properties.js';
import type { ResourceType } from './resource-type.js';
import type { Template } from '../template/template.js';
import { withoutParameters } from './groups.js';

/** A resource whose type is a template file: its properties are the file's parameters, its attributes the file's outputs. */
export function templateFileType(name: string, raw: JsonObject, template: Template): ResourceType {
  return {
    name,
    properties: Object.fromEntries(Object.entries(template.parameters).map(([key, parameter]) => [key, schemaOf(parameter)])),
    attributes: [...template.outputs.keys(), 'show', 'OS::stack_id'],
    nested: {
      label: name,
      inputs: (work) => [
        {
          template: raw,
          files: work.stack.input.files,
          environment: withoutParameters(work.stack.input.environment),
          parameters: work.properties,
        },
      ],
    },
    attribute(work, key, path) {
      if (key.startsWith('resource.')) return innerResource(work, key, path);
      if (key === 'OS::stack_id') return work.resource.physicalId;
      return walk(work.nestedOutput(key), path) ?? null;
    },
    reference: (work) =>
      `arn:openstack:heat::${work.stack.projectId}:stacks/${work.nested()?.name ?? ''}/${work.resource.physicalId ?? ''}`,
    show: (work) => Object.fromEntries([...template.outputs.keys()].map((key) => [key, work.nestedOutput(key) ?? null])),
  };
}

/** `resource.x` is the reference of the file's resource x, `resource.x.attribute` an attribute of it. */
function innerResource(work: Parameters<NonNullable<ResourceType['attribute']>>[0], key: string, path: Json[]): Json {
  const [, inner, ...attribute] = key.split('.');
  const member = work.nested()?.resources.find((one) => one.name === inner);
  if (member === undefined) return null;
  const way = [...(attribute.length === 0 ? [] : [attribute.join('.')]), ...path];
  return way.length === 0 ? work.nestedReference(member) : work.nestedAttribute(member, way);
}

function schemaOf(parameter: Json): PropertySchema {
  const { type, default: fallback } = isJsonObject(parameter) ? parameter : {};
  const required = fallback === undefined ? { required: true as const } : {};
  if (type === 'string') return text({ update: true, ...required });
  if (type === 'number') return { kind: 'number', update: true, ...required };
  if (type === 'boolean') return flag({ update: true, ...required });
  return anything({ update: true, ...required });
}
