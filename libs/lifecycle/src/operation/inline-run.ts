import type { Json, Jsonable, JsonObject } from '@windlass/foundation';
import { defineAction, type ActionContract, type JournalTransaction } from '@windlass/saga';
import type { LcmStore } from '../ports.js';
import type { SagaContext } from './operation-saga.js';
import { COORDINATOR_SERVICE } from '../records/services.js';

/** The input of a step that needs none. */
export type NoInput = Record<string, never>;

/** Declares a step that the coordinator runs in its own transaction. */
export const defineInlineAction = <Input extends Jsonable<Input> = NoInput, Output extends Jsonable<Output> = undefined>(
  name: string,
): ActionContract<Input, Output> => defineAction<Input, Output>({ service: COORDINATOR_SERVICE, name, version: 1 });

/** One run of an inline step, within the coordinator's transaction. */
export interface InlineRun<Input = JsonObject> {
  tx: JournalTransaction;
  store: LcmStore;
  context: SagaContext;
  input: Input;
}

type InlineWork<Input, Output> = (run: InlineRun<Input>) => Promise<Output>;

/** Inline steps by the name of their action. */
export type InlineActions = Readonly<Record<string, InlineWork<JsonObject, Json | undefined>>>;

/** The work of an inline step, under the name of its action. Plans give the input, and the compiler holds them to its type. */
export const inlineAction = <Input, Output>(
  action: ActionContract<Input, Output>,
  work: InlineWork<Input, NoInfer<Output>>,
): InlineActions => ({ [action.name]: async (run) => (await work(run as InlineRun<Input>)) as Json | undefined });
