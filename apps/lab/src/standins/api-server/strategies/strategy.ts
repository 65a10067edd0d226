import type { Json, JsonObject } from '@windlass/foundation';
import { objectAt } from '../../kube/object.js';

/** One broken rule, as the answer's `details.causes` lists it. */
export interface Cause {
  /** Path in the object: `spec.containers[0].name`. */
  field: string;
  message: string;
}

/** What is particular to one kind when its objects are written. All optional: the generic rules always hold. */
export interface Strategy {
  /** Which names are good; an RFC 1123 subdomain unless said otherwise. */
  names?: 'label' | 'path';
  /** Fills in what the client left out, in place. */
  defaults?(object: JsonObject): void;
  validate?(object: JsonObject): Cause[];
  /** Rules about the change itself: immutable members. */
  validateUpdate?(next: JsonObject, old: JsonObject): Cause[];
  /** Whether the client may set `status` when creating (a kubelet registers its node with it). */
  createsWithStatus?: boolean;
  /** Status that the server sets on new objects. */
  initialStatus?: JsonObject;
}

export const required = (field: string, what = ''): Cause => ({
  field,
  message: what === '' ? 'Required value' : `Required value: ${what}`,
});

export const invalid = (field: string, value: Json | undefined, why: string): Cause => ({
  field,
  message: `Invalid value: ${JSON.stringify(value ?? null)}: ${why}`,
});

export const immutable = (field: string, value: Json | undefined): Cause => invalid(field, value, 'field is immutable');

export const forbiddenField = (field: string, why: string): Cause => ({ field, message: `Forbidden: ${why}` });

export const unsupported = (field: string, value: Json | undefined, supported: readonly string[]): Cause => ({
  field,
  message: `Unsupported value: ${JSON.stringify(value ?? null)}: supported values: ${supported.map((entry) => `"${entry}"`).join(', ')}`,
});

/** Sets a member that the client left out. */
export function setDefault(object: JsonObject, member: string, value: Json): void {
  if (object[member] === undefined || object[member] === null) object[member] = value;
}

/** The object at a member, made if it is not there. */
export function ensureObject(object: JsonObject, member: string): JsonObject {
  const present = objectAt(object, member);
  if (present !== undefined) return present;
  const fresh: JsonObject = {};
  object[member] = fresh;
  return fresh;
}
