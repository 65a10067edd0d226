import type { OperationOwner } from '../ports.js';

/** The part of an owner with plans of its own alone, which are compiled without bounds. */
export const unbounded: Pick<OperationOwner, 'boundsOf' | 'mayRead' | 'checkContribution'> = {
  boundsOf: () => Promise.resolve(undefined),
  mayRead: () => true,
  checkContribution: () => Promise.resolve(),
};
