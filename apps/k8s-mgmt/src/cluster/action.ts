import type { Jsonable } from '@windlass/foundation';
import { defineAction, type ActionContract } from '@windlass/saga';

/** The service whose workers run the actions of its drivers. */
export const K8S_SERVICE = 'k8s-mgmt';

/** What a person should know of a step: the operation's warnings, by the trait `contributes`. */
export interface Noted {
  notes?: string[];
}

/** The contract of an action of this service. Its name stands in journals: what it takes and gives changes with the version alone. */
export const declared = <Input extends Jsonable<Input>, Output extends Jsonable<Output> = undefined>(
  name: string,
): ActionContract<Input, Output> => defineAction<Input, Output>({ service: K8S_SERVICE, name, version: 1 });
