import { isJsonObject, type JsonObject } from '@windlass/foundation';
import type { StackInput } from '../state/state.js';
import { badRequest, invalidTemplate } from './template/heat-errors.js';
import type { ResourceType } from './resources/resource-type.js';
import { volumeAttachmentType, volumeType } from './resources/cinder-resources.js';
import { autoScalingGroupType, resourceGroupType } from './resources/groups.js';
import {
  cloudConfigType,
  noneType,
  randomStringType,
  scalingPolicyType,
  softwareConfigType,
  valueType,
} from './resources/heat-resources.js';
import {
  floatingIpAssociationType,
  floatingIpType,
  netType,
  portType,
  securityGroupType,
  subnetType,
} from './resources/neutron-resources.js';
import { flavorType, keyPairType, serverGroupType } from './resources/nova-resources.js';
import { serverType } from './resources/server.js';
import { templateFileType } from './resources/template-file.js';
import { parseTemplate } from './template/template.js';
import { readTemplate } from './template/yaml.js';

const builtIn = new Map(
  [
    serverType,
    serverGroupType,
    keyPairType,
    flavorType,
    portType,
    netType,
    subnetType,
    floatingIpType,
    floatingIpAssociationType,
    securityGroupType,
    volumeType,
    volumeAttachmentType,
    autoScalingGroupType,
    resourceGroupType,
    scalingPolicyType,
    randomStringType,
    noneType,
    valueType,
    softwareConfigType,
    cloudConfigType,
  ].map((type) => [type.name, type] as const),
);

export const builtInTypes = (): string[] => [...builtIn.keys()].sort();

const isFile = (name: string): boolean => /\.(yaml|template)$/.test(name);
const read = new WeakMap<Record<string, string>, Map<string, ResourceType>>();

/** The type of that name: built in, mapped by the environment's registry, or a file of the stack. @throws HttpFailure 400. */
export function typeNamed(name: string, input: Pick<StackInput, 'files' | 'environment'>): ResourceType {
  const mapped = mapping(input.environment, name);
  if (mapped !== undefined && mapped !== name) return typeNamed(mapped, input);
  const known = builtIn.get(name);
  if (known !== undefined) return known;
  if (!isFile(name)) throw invalidTemplate(`The Resource Type (${name}) could not be found.`);
  const text = input.files[name];
  if (text === undefined) throw invalidTemplate(`Could not fetch remote template "${name}": Invalid URL scheme `);
  const cache = read.get(input.files) ?? new Map<string, ResourceType>();
  read.set(input.files, cache);
  const type = cache.get(name) ?? fileType(name, text);
  cache.set(name, type);
  return type;
}

function fileType(name: string, text: string): ResourceType {
  let raw: JsonObject | undefined;
  try {
    raw = readTemplate(text);
  } catch (error) {
    throw badRequest(
      `Template not in valid format: Error parsing template ${name} ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (raw === undefined) throw badRequest('Template not in valid format: The template is not a JSON object or YAML mapping.');
  return templateFileType(name, raw, parseTemplate(raw));
}

/** `resource_registry: {"My::Type": "file.yaml"}`; names may end in `*`. */
function mapping(environment: JsonObject, name: string): string | undefined {
  const registry = environment.resource_registry;
  if (!isJsonObject(registry)) return undefined;
  const exact = registry[name];
  if (typeof exact === 'string') return exact;
  const wild = Object.keys(registry).find((key) => key.endsWith('*') && name.startsWith(key.slice(0, -1)));
  const target = wild === undefined ? undefined : registry[wild];
  return typeof target === 'string' && !target.endsWith('*') ? target : undefined;
}
