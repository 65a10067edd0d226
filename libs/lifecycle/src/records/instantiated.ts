import { InvariantError } from '@windlass/foundation';
import type { InstantiatedState, VnfInstanceRecord } from './records.js';

/** What an instance that is INSTANTIATED consists of. @throws InvariantError for one that is not */
export function instantiatedOf(instance: VnfInstanceRecord): InstantiatedState {
  if (instance.instantiated === null) throw new InvariantError(`VNF instance ${instance.id} is scaled and has no resources`);
  return instance.instantiated;
}
