import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { StatusError } from '../../kube/status-error.js';
import { strategicMerge } from './strategic-merge.js';

const APPLY = 'application/apply-patch+yaml';

/** Whether a PATCH is a server-side apply. */
export const isApply = (contentType: string | undefined): boolean => contentType?.split(';')[0]?.trim() === APPLY;

/**
 * What a server-side apply wants, where it names its field manager. Who has applied an object is kept, and not which fields: what is applied wins,
 * and a field that is applied no more stays.
 * @throws StatusError 400 as the real one
 */
export function appliedBy(body: Json | undefined, query: URLSearchParams): (current: JsonObject) => JsonObject {
  if ((query.get('fieldManager') ?? '') === '')
    throw StatusError.badRequest(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  const wanted = objectIn(body);
  if (isJsonObject(wanted.metadata) && wanted.metadata.managedFields !== undefined)
    throw StatusError.badRequest('metadata.managedFields must be nil');
  return (current) => managedBy(strategicMerge(current, wanted), query);
}

/** The object with its field manager among those who have applied it. */
export function managedBy(object: JsonObject, query: URLSearchParams): JsonObject {
  const manager = query.get('fieldManager') ?? '';
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const known = Array.isArray(metadata.managedFields) ? metadata.managedFields.filter(isJsonObject) : [];
  if (known.some((each) => each.manager === manager && each.operation === 'Apply')) return object;
  const entry = { manager, operation: 'Apply', apiVersion: object.apiVersion ?? '', fieldsType: 'FieldsV1', fieldsV1: {} };
  return { ...object, metadata: { ...metadata, managedFields: [...known, entry] } };
}

/** The object itself, as it is created where there is none. */
export const objectIn = (body: Json | undefined): JsonObject => {
  if (isJsonObject(body)) return body;
  throw StatusError.badRequest('error decoding YAML: the body must be one object');
};
