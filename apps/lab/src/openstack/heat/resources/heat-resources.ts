import { randomInt } from 'node:crypto';
import type { Json } from '@windlass/foundation';
import { hexId, isoSeconds, uuid } from '../../state/ids.js';
import { pythonStr } from '../../http/python-json.js';
import { walk } from '../template/function-parts.js';
import { anything, list, map, text, whole } from '../template/properties.js';
import type { ResourceType, Work } from './resource-type.js';

const ALPHABETS: Record<string, string> = {
  lettersdigits: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  letters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  lowercase: 'abcdefghijklmnopqrstuvwxyz',
  uppercase: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  digits: '0123456789',
  hexdigits: '0123456789abcdefABCDEF',
  octdigits: '01234567',
};

const randomText = (length: number, alphabet: string): string =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');

export const randomStringType: ResourceType = {
  name: 'OS::Heat::RandomString',
  properties: {
    length: whole({ min: 1, max: 512 }),
    sequence: text({ allowed: Object.keys(ALPHABETS) }),
    character_classes: list(anything()),
    character_sequences: list(anything()),
    salt: text(),
  },
  attributes: ['value', 'show'],
  create(work) {
    const alphabet = ALPHABETS[pythonStr(work.properties.sequence ?? 'lettersdigits')] ?? '';
    work.resource.data.value = randomText(Number(work.properties.length ?? 32), alphabet);
    work.resource.physicalId = work.physicalName();
  },
  attribute: (work) => work.resource.data.value ?? null,
  reference: (work) => work.resource.data.value ?? null,
  show: (work) => ({ value: work.resource.data.value ?? null }),
};

export const noneType: ResourceType = {
  name: 'OS::Heat::None',
  properties: {},
  attributes: ['*'],
  create(work) {
    work.resource.physicalId = uuid();
  },
  attribute: () => null,
};

export const valueType: ResourceType = {
  name: 'OS::Heat::Value',
  properties: {
    value: anything({ required: true, update: true }),
    type: text({ update: true, allowed: ['string', 'number', 'comma_delimited_list', 'json', 'boolean'] }),
  },
  attributes: ['value', 'show'],
  create(work) {
    work.resource.physicalId = work.physicalName();
  },
  update: () => undefined,
  attribute: (work, _name, path) => walk(work.properties.value, path) ?? null,
  show: (work) => ({ value: work.properties.value ?? null }),
};

/** Configuration that servers take as user data. */
const config = (name: string, properties: ResourceType['properties'], content: (work: Work) => Json): ResourceType => ({
  name,
  properties,
  attributes: ['config', 'show'],
  create(work) {
    work.resource.physicalId = uuid();
    work.resource.data.created = isoSeconds();
  },
  attribute: (work) => content(work),
  show: (work) => ({
    id: work.resource.physicalId,
    name: work.physicalName(),
    group: pythonStr(work.properties.group ?? 'Heat::Ungrouped'),
    creation_time: work.resource.data.created ?? null,
    config: content(work),
    inputs: work.properties.inputs ?? [],
    outputs: work.properties.outputs ?? [],
    options: work.properties.options ?? {},
  }),
});

export const softwareConfigType = config(
  'OS::Heat::SoftwareConfig',
  { config: text(), group: text(), inputs: list(map()), outputs: list(map()), options: map() },
  (work) => work.properties.config ?? '',
);

export const cloudConfigType = config(
  'OS::Heat::CloudConfig',
  { cloud_config: map() },
  (work) => `#cloud-config\n${JSON.stringify(work.properties.cloud_config ?? {})}\n`,
);

export const scalingPolicyType: ResourceType = {
  name: 'OS::Heat::ScalingPolicy',
  properties: {
    auto_scaling_group_id: text({ required: true }),
    scaling_adjustment: whole({ required: true, update: true }),
    adjustment_type: text({
      required: true,
      update: true,
      allowed: ['change_in_capacity', 'exact_capacity', 'percent_change_in_capacity'],
    }),
    cooldown: whole({ update: true }),
    min_adjustment_step: whole({ update: true, min: 0 }),
  },
  attributes: ['alarm_url', 'signal_url', 'show'],
  create(work) {
    work.resource.physicalId = hexId();
  },
  update: () => undefined,
  attribute: (work, name) => (name === 'show' ? null : signalUrl(work)),
  show: (work) => ({ alarm_url: signalUrl(work), signal_url: signalUrl(work) }),
};

const signalUrl = (work: Work): string =>
  `${work.cloud.base()}/orchestration/v1/${work.stack.projectId}/stacks/${work.stack.name}/${work.stack.id}/resources/${work.resource.name}/signal`;
