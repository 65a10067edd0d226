import type { JsonObject } from '@windlass/foundation';
import { at, listAt, objectAt, sameJson, stringAt } from '../../kube/object.js';
import {
  ensureObject,
  forbiddenField,
  invalid,
  required,
  setDefault,
  unsupported,
  type Cause,
  type Strategy,
} from './strategy.js';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Members of a PersistentVolume's spec that are no volume source. */
const NOT_SOURCES = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
]);

const SOURCES = ['nfs', 'hostPath', 'local', 'csi', 'iscsi', 'fc'];

const QUANTITY = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+|[KMGTPE]i|[numkMGTPE])?$/;

function validateModes(object: JsonObject): Cause[] {
  const modes = listAt(object, 'spec', 'accessModes');
  if (modes.length === 0) return [required('spec.accessModes', 'at least 1 access mode is required')];
  return modes
    .filter((mode) => typeof mode !== 'string' || !ACCESS_MODES.includes(mode))
    .map((mode) => unsupported('spec.accessModes', mode, ACCESS_MODES));
}

function validateQuantity(object: JsonObject, field: string, ...path: string[]): Cause[] {
  const value = at(object, ...path);
  if (value === undefined) return [required(field)];
  const good = typeof value === 'number' || (typeof value === 'string' && QUANTITY.test(value));
  return good ? [] : [invalid(field, value, 'quantities must match the regular expression of Kubernetes')];
}

const sourceOf = (volume: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(objectAt(volume, 'spec') ?? {}).filter(([member]) => !NOT_SOURCES.has(member)));

function validateSource(volume: JsonObject): Cause[] {
  const given = Object.keys(sourceOf(volume));
  const unknown = given.find((source) => !SOURCES.includes(source));
  if (unknown !== undefined)
    return [
      invalid(
        `spec.${unknown}`,
        null,
        `unknown field, or a volume source that the stand-in does not know (${SOURCES.join(', ')})`,
      ),
    ];
  if (given.length === 0) return [required('spec', 'must specify a volume type')];
  if (given.length > 1) return [forbiddenField(`spec.${given[1] ?? ''}`, 'may not specify more than 1 volume type')];
  if (given[0] !== 'nfs') return [];
  const causes = ['server', 'path']
    .filter((member) => (stringAt(volume, 'spec', 'nfs', member) ?? '') === '')
    .map((member) => required(`spec.nfs.${member}`));
  const path = stringAt(volume, 'spec', 'nfs', 'path') ?? '/';
  return path.startsWith('/') ? causes : [...causes, invalid('spec.nfs.path', path, 'must be an absolute path')];
}

export const persistentVolumeStrategy: Strategy = {
  initialStatus: { phase: 'Pending' },
  defaults(volume) {
    const spec = ensureObject(volume, 'spec');
    setDefault(spec, 'persistentVolumeReclaimPolicy', 'Retain');
    setDefault(spec, 'volumeMode', 'Filesystem');
  },
  validate: (volume) => [
    ...validateModes(volume),
    ...validateQuantity(volume, 'spec.capacity', 'spec', 'capacity', 'storage'),
    ...validateSource(volume),
  ],
  validateUpdate: (next, old) =>
    sameJson(sourceOf(next), sourceOf(old))
      ? []
      : [forbiddenField('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation')],
};

export const persistentVolumeClaimStrategy: Strategy = {
  initialStatus: { phase: 'Pending' },
  defaults: (claim) => setDefault(ensureObject(claim, 'spec'), 'volumeMode', 'Filesystem'),
  validate: (claim) => [
    ...validateModes(claim),
    ...validateQuantity(claim, 'spec.resources[storage]', 'spec', 'resources', 'requests', 'storage'),
  ],
  validateUpdate(next, old) {
    const fixed = (claim: JsonObject): JsonObject => {
      const spec = { ...objectAt(claim, 'spec') };
      delete spec.resources;
      // The binder may set the name once.
      if (stringAt(old, 'spec', 'volumeName') === undefined) delete spec.volumeName;
      return spec;
    };
    return sameJson(fixed(next), fixed(old))
      ? []
      : [
          forbiddenField(
            'spec',
            'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
          ),
        ];
  },
};

export const storageClassStrategy: Strategy = {
  defaults(object) {
    setDefault(object, 'reclaimPolicy', 'Delete');
    setDefault(object, 'volumeBindingMode', 'Immediate');
  },
  validate: (object) => ((stringAt(object, 'provisioner') ?? '') === '' ? [required('provisioner')] : []),
};
