import type { StackResource } from '../heat/heat-types.js';

/** Requests to one service at a time. */
const SIDE_BY_SIDE = 8;

/** Ids that the resources of a type have in the service that owns them. */
export function idsOf(resources: readonly StackResource[], type: string): string[] {
  const ids = resources.filter((resource) => resource.type === type).map(({ physicalId }) => physicalId);
  return ids.filter((id): id is string => id !== undefined);
}

/** Reads each, a few at a time, and keeps those that are there. */
export async function readEach<T>(ids: readonly string[], read: (id: string) => Promise<T | undefined>): Promise<T[]> {
  const left = [...ids];
  const found: T[] = [];
  const reader = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const thing = await read(id);
      if (thing !== undefined) found.push(thing);
    }
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, ids.length) }, reader));
  return found;
}
