import type { JsonObject } from '@windlass/foundation';
import { requireInPackage } from '@windlass/user-data';
import type { RequestSubject } from '../operations/operation-definition.js';
import type { LcmOperation } from '../model/records.js';
import { scriptOf } from './script-step.js';

/** What of a request is looked at: its body, and what it is checked against. */
type Checked = Pick<RequestSubject<object>, 'instance' | 'package' | 'lookups'> & { request: JsonObject };

/**
 * Whether a script will be run for it, which is held against the package and against what can be run.
 * @throws RequestError 400 with the path of the key that is wrong, or that says why no script can be run
 */
export async function checkScript(
  { request, instance, package: record, lookups }: Checked,
  operation: LcmOperation,
): Promise<boolean> {
  const asked = scriptOf({ instance, opOcc: { operation, request } });
  if (asked === undefined) return false;
  requireInPackage(asked.script, record.files);
  await lookups.requireRunnable(asked.script.language);
  return true;
}
