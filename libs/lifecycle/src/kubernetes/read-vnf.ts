import type { InstantiatedState } from '../records/records.js';
import type { ReadObjectsOutput } from './cluster-actions.js';

/** A VNF that was there before, with its pods as they were read now. Its objects are the same: those that are missing belong to it, too. */
export const asRead = (
  before: InstantiatedState,
  { info, vnfcs, nodePorts }: Pick<ReadObjectsOutput, 'info' | 'vnfcs' | 'nodePorts'>,
): InstantiatedState => ({
  ...before,
  ...(nodePorts === undefined ? {} : { nodePorts }),
  info: { ...info, ...(before.info.metadata === undefined ? {} : { metadata: before.info.metadata }) },
  vnfcs,
});
