import type { OperationOwner } from '../ports.js';

/** The part of an owner whose plans are all its own: they are compiled as they are, and may point anywhere. */
export const unbounded: Pick<OperationOwner, 'boundsOf' | 'mayRead' | 'checkContribution'> = {
  boundsOf: () => Promise.resolve(undefined),
  mayRead: () => true,
  checkContribution: () => Promise.resolve(),
};
