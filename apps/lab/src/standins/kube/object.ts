import type { Json, JsonObject } from '@windlass/foundation';

/** `metadata` of every object, as far as the stand-ins look at it. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid?: string;
  /** Decimal etcd revision of the last write. Set by the API server on the way out, never stored. */
  resourceVersion?: string;
  generation?: number;
  /** RFC 3339 in UTC, whole seconds. */
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** What every object of the Kubernetes API has. Kinds that a stand-in works with are in `kinds.ts`. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** The same object seen as plain JSON; no copy. */
export const asJson = (object: KubeObject): JsonObject => object as unknown as JsonObject;

/** A JSON document that is known to be an object of the API; no copy. */
export const asObject = (json: JsonObject): KubeObject => json as unknown as KubeObject;

/** A value of plain members as JSON: a copy, without what is undefined. */
export const toJson = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

export const deepCopy = <T>(value: T): T => structuredClone(value);

/** Whether two JSON values are equal, whatever the order of their members. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((entry, at) => sameJson(entry, b[at]));
  }
  const left = Object.entries(a).filter(([, value]) => value !== undefined);
  const right = new Map(Object.entries(b).filter(([, value]) => value !== undefined));
  return left.length === right.size && left.every(([key, value]) => right.has(key) && sameJson(value, right.get(key)));
}

/** RFC 3339 in whole seconds, as `metadata.creationTimestamp` has it. */
export const timestamp = (at: Date = new Date()): string => at.toISOString().replace(/\.\d+Z$/, 'Z');

/** RFC 3339 in microseconds, as `spec.renewTime` of a Lease has it. */
export const microTime = (at: Date = new Date()): string => at.toISOString().replace(/(\.\d{3})Z$/, '$1000Z');

/** The value at a path of member names, or undefined where nothing lies. */
export function at(document: unknown, ...path: (string | number)[]): Json | undefined {
  let here: unknown = document;
  for (const step of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = Object.hasOwn(here, step) ? (here as Record<string | number, unknown>)[step] : undefined;
  }
  return here as Json | undefined;
}

export const stringAt = (document: unknown, ...path: (string | number)[]): string | undefined => {
  const value = at(document, ...path);
  return typeof value === 'string' ? value : undefined;
};

export const listAt = (document: unknown, ...path: (string | number)[]): Json[] => {
  const value = at(document, ...path);
  return Array.isArray(value) ? value : [];
};

export const objectAt = (document: unknown, ...path: (string | number)[]): JsonObject | undefined => {
  const value = at(document, ...path);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
};

/** The controller among an object's owners. */
export const controllerOf = (object: KubeObject): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((owner) => owner.controller === true);

/** An owner reference that makes `owner` the controller of what carries it. */
export const controlledBy = (owner: KubeObject): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});
