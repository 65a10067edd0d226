import type { JsonObject } from '@windlass/foundation';
import { isDnsLabel, isPathSegment, isSubdomain, SUBDOMAIN_RULE } from '../../kube/names.js';
import { at, listAt, objectAt, stringAt } from '../../kube/object.js';
import { isLabelKey, isLabelValue } from '../../kube/selectors.js';
import { invalid, required, type Cause, type Strategy } from './strategy.js';

/** The rules of `metadata` that hold for every kind. */
export function validateMetadata(object: JsonObject, names: Strategy['names']): Cause[] {
  const name = stringAt(object, 'metadata', 'name') ?? '';
  return [
    ...validateName(name, names),
    ...validateMap(object, 'labels', isLabelValue),
    ...validateMap(object, 'annotations', () => true),
    ...validateOwners(object),
  ];
}

function validateName(name: string, names: Strategy['names']): Cause[] {
  if (name === '') return [required('metadata.name', 'name or generateName is required')];
  if (names === 'path') {
    return isPathSegment(name) ? [] : [invalid('metadata.name', name, "may not contain '/' or '%', and may not be '.' or '..'")];
  }
  if (names === 'label') {
    return isDnsLabel(name)
      ? []
      : [invalid('metadata.name', name, "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'")];
  }
  return isSubdomain(name) ? [] : [invalid('metadata.name', name, SUBDOMAIN_RULE)];
}

function validateMap(object: JsonObject, member: 'labels' | 'annotations', goodValue: (value: string) => boolean): Cause[] {
  const map = at(object, 'metadata', member);
  if (map === undefined || map === null) return [];
  const field = `metadata.${member}`;
  const entries = Object.entries(objectAt(object, 'metadata', member) ?? {});
  return entries.flatMap(([key, value]) => {
    if (!isLabelKey(key)) return [invalid(field, key, "name part must consist of alphanumeric characters, '-', '_' or '.'")];
    if (typeof value !== 'string') return [invalid(field, value, `the value of ${key} must be a string`)];
    return goodValue(value)
      ? []
      : [invalid(field, value, "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'")];
  });
}

const validateOwners = (object: JsonObject): Cause[] =>
  listAt(object, 'metadata', 'ownerReferences').flatMap((owner, index) =>
    ['apiVersion', 'kind', 'name', 'uid']
      .filter((member) => (stringAt(owner, member) ?? '') === '')
      .map((member) => required(`metadata.ownerReferences[${index}].${member}`, `${member} must not be empty`)),
  );
