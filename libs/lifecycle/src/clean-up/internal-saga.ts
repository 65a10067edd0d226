import type { Json, JsonObject } from '@windlass/foundation';
import type { JournalTransaction } from '@windlass/saga';
import type { OperationTable } from '../operations/operation-table.js';
import type { LcmStore } from '../ports.js';
import type { InternalKind, InternalRecord } from './internal-operation.js';

/** The source of the VIM that an internal saga works on. */
export const INTERNAL_VIM = 'vim';

/** What an internal saga's plan is made from. */
export interface InternalSagaContext<K extends InternalKind = InternalKind> {
  record: InternalRecord<K>;
}

/** What an inline step of an internal saga works with. */
export interface InternalRun<K extends InternalKind = InternalKind> extends InternalSagaContext<K> {
  tx: JournalTransaction;
  store: LcmStore;
  operations: OperationTable;
  input: JsonObject;
}

/** An inline step of an internal saga; it may change the record, which is kept afterwards. */
export type InternalAction<K extends InternalKind> = (run: InternalRun<K>) => Promise<Json | undefined>;
