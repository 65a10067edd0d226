import { connectionsOf, type OperationDefinition, type VnfInstanceRecord } from '@windlass/lifecycle';
import { fromV2, type InstanceForV2 } from '@windlass/sol003';
import type { ReadBody } from '../instances/vnf-instances.js';

/** How v2's request of an operation is read. */
export const readV2 =
  ({ operation }: OperationDefinition): ReadBody =>
  (given, instance) =>
    fromV2(operation, given, forV2(instance));

const forV2 = (instance: VnfInstanceRecord): InstanceForV2 => ({
  vnfcs: instance.instantiated?.info.vnfcResourceInfo ?? [],
  connections: connectionsOf(instance),
});
