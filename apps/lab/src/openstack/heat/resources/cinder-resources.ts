import { type Json, type JsonObject } from '@windlass/foundation';
import { present } from '../../http/json-fields.js';
import { pythonStr } from '../../http/python-json.js';
import type { Volume } from '../../state/state.js';
import { volumeView } from '../../volume/cinder-api.js';
import { walk } from '../template/function-parts.js';
import { ResourceFailure } from '../template/heat-errors.js';
import { flag, map, text, whole } from '../template/properties.js';
import type { ResourceType, Work } from './resource-type.js';

const textOf = (value: Json | undefined): string | undefined =>
  value === undefined || value === null ? undefined : pythonStr(value);
const volumeOf = (work: Work): Volume | undefined => work.cloud.state.volumes.get(work.resource.physicalId ?? '');

export const volumeType: ResourceType = {
  name: 'OS::Cinder::Volume',
  properties: {
    name: text({ update: true }),
    description: text({ update: true }),
    size: whole({ update: true, min: 1 }),
    image: text({ constraint: 'image' }),
    availability_zone: text(),
    volume_type: text({ update: true }),
    metadata: map(undefined, { update: true }),
    scheduler_hints: map(),
    snapshot_id: text(),
    source_volid: text({ constraint: 'volume' }),
    backup_id: text({ update: true }),
    read_only: flag({ update: true }),
    multiattach: flag(),
  },
  attributes: [
    'availability_zone',
    'size',
    'snapshot_id',
    'display_name',
    'display_description',
    'volume_type',
    'metadata',
    'source_volid',
    'status',
    'created_at',
    'bootable',
    'metadata_values',
    'encrypted',
    'attachments',
    'attachments_list',
    'multiattach',
    'show',
  ],
  create(work) {
    const { cinder, glance, checkQuota } = work.cloud;
    checkQuota('cinder', 'volumes');
    const { properties, stack } = work;
    const imageId = textOf(properties.image);
    const image = imageId === undefined ? undefined : glance.get(stack.projectId, imageId);
    const volume = cinder.create(stack.projectId, stack.userId, {
      size: Number(properties.size ?? 1),
      name: textOf(properties.name) ?? work.physicalName(),
      ...present({ description: textOf(properties.description), image, zone: textOf(properties.availability_zone) }),
    });
    work.resource.physicalId = volume.id;
    cinder.ready(volume);
  },
  update(work, changed) {
    const volume = volumeOf(work);
    if (volume === undefined) throw new ResourceFailure('NotFound', ['resources', work.resource.name], 'The volume is gone');
    const { properties } = work;
    const size = Number(properties.size ?? volume.size);
    if (changed.includes('size') && size < volume.size) {
      throw new ResourceFailure('NotSupported', ['resources', work.resource.name], 'Shrinking volume is not supported.');
    }
    volume.size = size;
    volume.name = textOf(properties.name) ?? volume.name;
    volume.description = textOf(properties.description) ?? volume.description;
  },
  remove(work) {
    const volume = volumeOf(work);
    if (volume === undefined) return;
    if (volume.attachments.length > 0) throw new ResourceFailure('Error', ['resources', work.resource.name], 'Volume in use');
    work.cloud.cinder.delete(work.stack.projectId, volume.id);
  },
  needsReplaceFailed: (work) => {
    const volume = volumeOf(work);
    return volume === undefined || volume.status === 'error' || volume.status === 'deleting';
  },
  attribute: (work, name, path) => walk(attributeOf(work, name), path) ?? null,
  show: (work) => data(work) ?? {},
};

const data = (work: Work): JsonObject | undefined => {
  const volume = volumeOf(work);
  return volume === undefined ? undefined : volumeView(work.cloud.base(), volume);
};

function attributeOf(work: Work, name: string): Json {
  const view = data(work);
  if (view === undefined) return null;
  if (name === 'show') return view;
  if (name === 'display_name') return view.name ?? null;
  if (name === 'display_description') return view.description ?? null;
  if (name === 'attachments_list') return view.attachments ?? [];
  if (name === 'metadata_values') return view.metadata ?? {};
  return view[name] ?? null;
}

export const volumeAttachmentType: ResourceType = {
  name: 'OS::Cinder::VolumeAttachment',
  properties: {
    instance_uuid: text({ required: true, update: true, constraint: 'server' }),
    volume_id: text({ required: true, update: true, constraint: 'volume' }),
    mountpoint: text({ update: true }),
  },
  attributes: ['show'],
  create: attach,
  async update(work, _changed, before) {
    await detach(work, before);
    await attach(work);
  },
  remove: async (work) => detach(work, work.properties),
  attribute: () => null,
  show: () => ({}),
};

async function attach(work: Work): Promise<void> {
  const { nova, cinder } = work.cloud;
  const { properties, stack } = work;
  const server = nova.get(stack.projectId, textOf(properties.instance_uuid) ?? '');
  const volume = cinder.get(stack.projectId, textOf(properties.volume_id) ?? '');
  await nova.attach(server, volume, textOf(properties.mountpoint));
  work.resource.physicalId = volume.id;
}

async function detach(work: Work, properties: JsonObject): Promise<void> {
  const server = work.cloud.state.servers.get(textOf(properties.instance_uuid) ?? '');
  const volumeId = textOf(properties.volume_id) ?? '';
  if (server?.volumes.some((one) => one.volumeId === volumeId) === true) await work.cloud.nova.detach(server, volumeId);
}
