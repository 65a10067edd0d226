import { TransientError } from '@windlass/foundation';
import type { OperationRecord } from '../engine/records.js';

/** The newest journal format this release writes and understands. */
export const JOURNAL_VERSION = 1;

/** Another coordinator, of the release that began it or a later one, will answer. */
export const newerJournal = ({ id, journalVersion }: OperationRecord): TransientError =>
  new TransientError(
    'operation.newer-journal',
    `operation ${id} has journal version ${journalVersion}, this release knows ${JOURNAL_VERSION}: it is left to a newer coordinator`,
  );
