import type { Json, JsonObject } from '@windlass/foundation';
import type { JournalTransaction } from '@windlass/saga';
import type { LcmStore } from '../ports.js';
import type { SagaContext } from './operation-saga.js';

/** One run of an inline step, within the coordinator's transaction. */
export interface InlineRun {
  tx: JournalTransaction;
  store: LcmStore;
  context: SagaContext;
  input: JsonObject;
}

/** Inline steps by the name of their action. */
export type InlineActions = Readonly<Record<string, (run: InlineRun) => Promise<Json | undefined>>>;
