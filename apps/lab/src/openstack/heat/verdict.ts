import type { JsonObject } from '@windlass/foundation';
import { failureOf } from './template/heat-errors.js';
import { changedProperties } from './template/properties.js';
import type { ResourceType, Work } from './resources/resource-type.js';

export interface Change {
  /** As they are to be. */
  properties: JsonObject;
  /** Names of those that differ. */
  changed: string[];
}

/** What an update has to do with a resource that is there already. */
export type Verdict = { kind: 'same' } | { kind: 'replace' } | { kind: 'failed'; error: Error } | ({ kind: 'change' } & Change);

/**
 * Decides as Heat does: what is CHECK_FAILED is replaced; what failed otherwise is replaced where its type says that it must
 * be; a change of a property that can't be changed in place replaces; a resource that is a stack is always updated, so that
 * its members decide for themselves.
 */
export function verdictOf(work: Work, type: ResourceType, evaluated: () => JsonObject): Verdict {
  const { resource } = work;
  if (resource.action === 'INIT' || resource.action === 'DELETE') return { kind: 'replace' };
  let properties: JsonObject;
  try {
    properties = evaluated();
  } catch (error) {
    return { kind: 'failed', error: failureOf(error, resource.name) };
  }
  if (resource.status === 'FAILED' && mustReplace(work, type)) return { kind: 'replace' };
  const changed = changedProperties(resource.properties, properties);
  if (type.nested !== undefined) return { kind: 'change', properties, changed };
  if (changed.some((one) => type.properties[one]?.update !== true)) return { kind: 'replace' };
  return changed.length === 0 ? { kind: 'same' } : { kind: 'change', properties, changed };
}

function mustReplace(work: Work, type: ResourceType): boolean {
  const { resource } = work;
  if (resource.action === 'CHECK') return true;
  if (type.nested !== undefined) return resource.physicalId === null;
  return type.needsReplaceFailed?.(work) ?? true;
}
