import { toJson, type Json, type Jsonable } from '@windlass/foundation';
import type { JournalTransaction, Source } from '@windlass/saga';
import type { LcmStore } from '../ports.js';
import type { OpOccRecord, VnfInstanceRecord } from '../records/records.js';
import type { SagaContext } from './operation-saga.js';
import type { OperationTable } from './operation-table.js';

/** What the value of a source is read from when a step that names it is claimed. */
export interface SourceSubject {
  tx: JournalTransaction;
  store: LcmStore;
  operations: OperationTable;
  opOcc: OpOccRecord;
  instance: VnfInstanceRecord;
  /** Reads the package too: for sources that need it. */
  readonly context: () => Promise<SagaContext>;
}

type Reading = (subject: SourceSubject) => Promise<Json | undefined> | Json | undefined;

/** How sources are read, by their names. Each stands in a list beside what it is; the owner puts the lists together. */
export type StepSources = readonly (readonly [name: string, read: Reading])[];

/** A source and how it is read. @param read gives undefined where there is no such value */
export const stepSource = <T extends Jsonable<T> & (object | null | boolean | number | string)>(
  source: Source<T>,
  read: (subject: SourceSubject) => Promise<T | undefined> | T | undefined,
): StepSources[number] => [
  source,
  async (subject) => {
    const value = await read(subject);
    return value === undefined ? undefined : toJson(value);
  },
];
