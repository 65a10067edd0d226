import type { Json, JsonObject } from '@windlass/foundation';
import { isDnsLabel } from '../../kube/names.js';
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

/** What the API server fills into a pod's spec, be it a pod or a template. */
export function defaultPodSpec(spec: JsonObject): void {
  setDefault(spec, 'restartPolicy', 'Always');
  setDefault(spec, 'terminationGracePeriodSeconds', 30);
  setDefault(spec, 'dnsPolicy', 'ClusterFirst');
  setDefault(spec, 'schedulerName', 'default-scheduler');
  setDefault(spec, 'securityContext', {});
  for (const container of containersOf(spec)) {
    const image = stringAt(container, 'image') ?? '';
    const untagged = !image.includes('@') && !image.slice(image.lastIndexOf('/') + 1).includes(':');
    setDefault(container, 'imagePullPolicy', untagged || image.endsWith(':latest') ? 'Always' : 'IfNotPresent');
    setDefault(container, 'resources', {});
    setDefault(container, 'terminationMessagePath', '/dev/termination-log');
    setDefault(container, 'terminationMessagePolicy', 'File');
    for (const port of listAt(container, 'ports')) if (isObject(port)) setDefault(port, 'protocol', 'TCP');
  }
}

const isObject = (value: Json): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

const containersOf = (spec: JsonObject): JsonObject[] =>
  [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')].filter(isObject);

/** The rules of a pod's spec, at the given path. */
export function validatePodSpec(spec: JsonObject | undefined, field: string): Cause[] {
  if (spec === undefined) return [required(field)];
  const containers = listAt(spec, 'containers');
  return [
    ...(containers.length === 0 ? [required(`${field}.containers`)] : []),
    ...validateContainers(containers, `${field}.containers`),
    ...validateContainers(listAt(spec, 'initContainers'), `${field}.initContainers`),
    ...validateVolumes(spec, field),
    ...validateTolerations(spec, field),
    ...validateAffinity(spec, field),
    ...oneOf(spec, 'restartPolicy', ['Always', 'OnFailure', 'Never'], field),
    ...oneOf(spec, 'dnsPolicy', ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'], field),
  ];
}

function oneOf(object: Json, member: string, supported: readonly string[], field: string): Cause[] {
  const value = at(object, member);
  const good = value === undefined || (typeof value === 'string' && supported.includes(value));
  return good ? [] : [unsupported(`${field}.${member}`, value, supported)];
}

function validateContainers(containers: Json[], field: string): Cause[] {
  const names = containers.map((container) => stringAt(container, 'name') ?? '');
  return containers.flatMap((container, index) => {
    const here = `${field}[${index}]`;
    const name = names[index] ?? '';
    const causes: Cause[] = [];
    if (name === '') causes.push(required(`${here}.name`));
    else if (!isDnsLabel(name)) causes.push(invalid(`${here}.name`, name, 'a lowercase RFC 1123 label is expected'));
    else if (names.indexOf(name) !== index) causes.push({ field: `${here}.name`, message: `Duplicate value: "${name}"` });
    if ((stringAt(container, 'image') ?? '') === '') causes.push(required(`${here}.image`));
    causes.push(...oneOf(container, 'imagePullPolicy', ['Always', 'IfNotPresent', 'Never'], here));
    return causes;
  });
}

function validateVolumes(spec: JsonObject, field: string): Cause[] {
  const volumes = listAt(spec, 'volumes');
  const names = volumes.map((volume) => stringAt(volume, 'name') ?? '');
  const causes = names.flatMap((name, index): Cause[] => {
    if (name === '') return [required(`${field}.volumes[${index}].name`)];
    return names.indexOf(name) === index
      ? []
      : [{ field: `${field}.volumes[${index}].name`, message: `Duplicate value: "${name}"` }];
  });
  const mounts = containersOf(spec).flatMap((container) => listAt(container, 'volumeMounts'));
  const unknown = mounts.map((mount) => stringAt(mount, 'name') ?? '').filter((name) => !names.includes(name));
  return [
    ...causes,
    ...unknown.map((name) => ({ field: `${field}.containers[0].volumeMounts[0].name`, message: `Not found: "${name}"` })),
  ];
}

function validateTolerations(spec: JsonObject, field: string): Cause[] {
  return listAt(spec, 'tolerations').flatMap((toleration, index) => {
    const here = `${field}.tolerations[${index}]`;
    const causes = oneOf(toleration, 'operator', ['Equal', 'Exists'], here);
    if ((stringAt(toleration, 'key') ?? '') === '' && stringAt(toleration, 'operator') !== 'Exists') {
      causes.push(invalid(`${here}.operator`, stringAt(toleration, 'operator'), 'operator must be Exists when `key` is empty'));
    }
    if (stringAt(toleration, 'effect') === '') return causes;
    return [...causes, ...oneOf(toleration, 'effect', ['NoSchedule', 'PreferNoSchedule', 'NoExecute'], here)];
  });
}

function validateAffinity(spec: JsonObject, field: string): Cause[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) =>
    listAt(spec, 'affinity', kind, 'requiredDuringSchedulingIgnoredDuringExecution').flatMap((term, index) =>
      (stringAt(term, 'topologyKey') ?? '') === ''
        ? [
            required(
              `${field}.affinity.${kind}.requiredDuringSchedulingIgnoredDuringExecution[${index}].topologyKey`,
              'can not be empty',
            ),
          ]
        : [],
    ),
  );
}

/** What may change in a pod that exists: images, added tolerations, and the deadline. */
function comparable(pod: JsonObject): JsonObject {
  const spec = structuredClone(objectAt(pod, 'spec') ?? {});
  delete spec.tolerations;
  delete spec.activeDeadlineSeconds;
  delete spec.terminationGracePeriodSeconds;
  for (const container of containersOf(spec)) delete container.image;
  return spec;
}

export const podStrategy: Strategy = {
  initialStatus: { phase: 'Pending', qosClass: 'BestEffort' },
  defaults(pod) {
    const spec = ensureObject(pod, 'spec');
    defaultPodSpec(spec);
    setDefault(spec, 'enableServiceLinks', true);
    setDefault(spec, 'priority', 0);
    setDefault(spec, 'preemptionPolicy', 'PreemptLowerPriority');
  },
  validate: (pod) => validatePodSpec(objectAt(pod, 'spec'), 'spec'),
  validateUpdate: (next, old) =>
    sameJson(comparable(next), comparable(old))
      ? []
      : [
          forbiddenField(
            'spec',
            'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
              '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
              '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
          ),
        ],
};
