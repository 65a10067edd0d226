import { InvariantError } from '@windlass/foundation';
import { EntityManager } from 'typeorm';

/** The entity manager that a handle is. */
export function managerOf(handle: unknown): EntityManager {
  if (handle instanceof EntityManager) return handle;
  throw new InvariantError('a store of PostgreSQL was given a handle of another kind');
}
