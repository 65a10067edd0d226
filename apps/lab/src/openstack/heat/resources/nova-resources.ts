import type { Json, JsonObject } from '@windlass/foundation';
import { createGroup, createKeyPair } from '../../compute/nova-records.js';
import { flavorView, keyPairDetail } from '../../compute/nova-views.js';
import { uuid } from '../../state/ids.js';
import { pythonStr } from '../../http/python-json.js';
import { walk } from '../template/function-parts.js';
import { ResourceFailure } from '../template/heat-errors.js';
import { flag, list, map, text, whole } from '../template/properties.js';
import type { ResourceType, Work } from './resource-type.js';

const textOf = (value: Json | undefined): string | undefined =>
  value === undefined || value === null ? undefined : pythonStr(value);

export const serverGroupType: ResourceType = {
  name: 'OS::Nova::ServerGroup',
  properties: {
    name: text(),
    policies: list(text(), { allowed: ['anti-affinity', 'affinity', 'soft-anti-affinity', 'soft-affinity'] }),
    rules: map(),
  },
  attributes: ['show'],
  create(work) {
    const { policies } = work.properties;
    const policy = Array.isArray(policies) ? textOf(policies[0]) : undefined;
    const owner = { projectId: work.stack.projectId, userId: work.stack.userId };
    work.resource.physicalId = createGroup(
      work.cloud.state,
      owner,
      textOf(work.properties.name) ?? work.physicalName(),
      policy ?? 'anti-affinity',
    );
  },
  remove(work) {
    work.cloud.state.serverGroups.delete(work.resource.physicalId ?? '');
  },
  needsReplaceFailed: (work) => !work.cloud.state.serverGroups.has(work.resource.physicalId ?? ''),
  attribute: (work, _name, path) => walk(groupData(work), path) ?? null,
  show: groupData,
};

function groupData(work: Work): JsonObject {
  const group = work.cloud.state.serverGroups.get(work.resource.physicalId ?? '');
  if (group === undefined) return {};
  const members = [...work.cloud.state.servers.values()].filter((server) => server.groupId === group.id);
  return {
    id: group.id,
    name: group.name,
    policy: group.policy,
    rules: {},
    members: members.map((server) => server.id),
    project_id: group.projectId,
    user_id: group.userId,
  };
}

export const keyPairType: ResourceType = {
  name: 'OS::Nova::KeyPair',
  properties: {
    name: text({ required: true }),
    public_key: text(),
    save_private_key: flag(),
    type: text({ allowed: ['ssh', 'x509'] }),
    user: text(),
  },
  attributes: ['public_key', 'private_key', 'show'],
  create(work) {
    const key = textOf(work.properties.public_key);
    if (key === undefined) {
      throw new ResourceFailure(
        'StackValidationFailed',
        ['resources', work.resource.name],
        'The public_key property is required by the nova API version currently used.',
      );
    }
    const pair = createKeyPair(work.cloud.state, work.stack.userId, textOf(work.properties.name) ?? '', key);
    work.resource.physicalId = pair.name;
  },
  remove(work) {
    work.cloud.state.keyPairs.delete(`${work.stack.userId}/${work.resource.physicalId ?? ''}`);
  },
  attribute(work, name) {
    if (name === 'private_key') return '';
    return name === 'public_key' ? (keyData(work).public_key ?? null) : keyData(work);
  },
  show: keyData,
};

function keyData(work: Work): JsonObject {
  const pair = work.cloud.state.keyPairs.get(`${work.stack.userId}/${work.resource.physicalId ?? ''}`);
  return pair === undefined ? {} : { ...keyPairDetail(pair), type: 'ssh' };
}

export const flavorType: ResourceType = {
  name: 'OS::Nova::Flavor',
  adminOnly: true,
  properties: {
    name: text({ update: true }),
    flavorid: text({ update: true }),
    ram: whole({ required: true, update: true }),
    vcpus: whole({ required: true, update: true }),
    disk: whole({ update: true }),
    swap: whole({ update: true }),
    ephemeral: whole({ update: true }),
    rxtx_factor: whole({ update: true }),
    extra_specs: map(undefined, { update: true }),
    is_public: flag({ update: true }),
    tenants: list(text(), { update: true }),
  },
  attributes: ['is_public', 'extra_specs', 'show'],
  create(work) {
    const number = (name: string): number => Number(work.properties[name] ?? 0);
    const id = textOf(work.properties.flavorid) ?? uuid();
    const name = textOf(work.properties.name) ?? work.physicalName();
    const sizes = {
      ram: number('ram'),
      vcpus: number('vcpus'),
      disk: number('disk'),
      swap: number('swap'),
      ephemeral: number('ephemeral'),
    };
    work.cloud.state.flavors.set(id, { id, name, ...sizes, isPublic: work.properties.is_public !== false, extraSpecs: {} });
    work.resource.physicalId = id;
  },
  remove(work) {
    work.cloud.state.flavors.delete(work.resource.physicalId ?? '');
  },
  attribute: (work, name, path) => walk(name === 'show' ? flavorData(work) : (flavorData(work)[name] ?? null), path) ?? null,
  show: flavorData,
};

function flavorData(work: Work): JsonObject {
  const flavor = work.cloud.state.flavors.get(work.resource.physicalId ?? '');
  return flavor === undefined ? {} : flavorView(work.cloud.base(), flavor);
}
