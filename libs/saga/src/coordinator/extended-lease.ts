import type { Duration } from '@windlass/foundation';
import { storableText } from '../plan/storable-text.js';
import type { Journal } from '../ports.js';
import type { RenewRequest } from './messages.js';

/** Whether the journal has extended the lease by itself. A claim that says that it only waits leaves its places, which is the machine's matter. */
export async function isExtended(journal: Journal, request: RenewRequest, lease: Duration): Promise<boolean> {
  const { operationId, stepId, epoch, progress, waits = false } = request;
  if (waits || journal.extend === undefined) return false;
  const told = progress === undefined ? {} : { progress: storableText(progress) };
  return journal.extend({ operationId, stepId, epoch, ...told }, lease);
}
