import { REGISTRY_SERVICE } from '@windlass/driver-kit';
import type { Jsonable } from '@windlass/foundation';
import { defineAction, type ActionContract } from '@windlass/saga';

/** What an action of this service takes and gives: the first half of the action, whose work stands beside it. */
export const declared = <Input extends Jsonable<Input>, Output extends Jsonable<Output> = undefined>(
  name: string,
): ActionContract<Input, Output> => defineAction<Input, Output>({ service: REGISTRY_SERVICE, name, version: 1 });
