import type { Json, JsonObject } from '@windlass/foundation';
import { source, type ActionContract, type JournalTransaction } from '@windlass/saga';
import type { VimAccess } from '../records/vim-access.js';
import type { OperationTable } from '../operation/operation-table.js';
import type { LcmStore } from '../ports.js';
import type { InternalKind, InternalRecord } from '../records/internal-operation.js';

/** The source of the VIM that an internal saga works on. */
export const INTERNAL_VIM = source<VimAccess>('vim');

/** What an internal saga's plan is made from. */
export interface InternalSagaContext<K extends InternalKind = InternalKind> {
  record: InternalRecord<K>;
}

/** What an inline step of an internal saga works with. */
export interface InternalRun<K extends InternalKind = InternalKind, Input = JsonObject> extends InternalSagaContext<K> {
  tx: JournalTransaction;
  store: LcmStore;
  operations: OperationTable;
  input: Input;
}

type InternalWork<K extends InternalKind, Input, Output> = (run: InternalRun<K, Input>) => Promise<Output>;

/** Inline steps of an internal saga by the name of their action. */
export type InternalActions<K extends InternalKind> = Readonly<Record<string, InternalWork<K, JsonObject, Json | undefined>>>;

/** The work of an inline step of an internal saga, under the name of its action; it may change the record, which is kept afterwards. */
export const internalAction =
  <K extends InternalKind>() =>
  <Input, Output>(action: ActionContract<Input, Output>, work: InternalWork<K, Input, NoInfer<Output>>): InternalActions<K> => ({
    [action.name]: async (run) => (await work(run as InternalRun<K, Input>)) as Json | undefined,
  });
