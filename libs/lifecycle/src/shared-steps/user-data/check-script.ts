import type { JsonObject } from '@windlass/foundation';
import { requireInPackage } from '@windlass/user-data';
import type { RequestSubject } from '../../operation/operation-definition.js';
import type { ScriptUse } from '../../operation/script-use.js';
import { scriptOf } from './script-step.js';

/** What of a request is looked at: its body, and what it is checked against. */
type Checked = Pick<RequestSubject<object>, 'instance' | 'package' | 'lookups'> & { request: JsonObject };

/**
 * Whether a script will be run for it, which is held against the package and against what can be run.
 * @param use the member `script` of the operation's definition
 * @throws RequestError 400 with the path of the key that is wrong, or that says why no script can be run; 409 as `use.refuse`
 */
export async function checkScript({ request, instance, package: record, lookups }: Checked, use: ScriptUse): Promise<boolean> {
  const asked = scriptOf({ instance, opOcc: { request } }, use);
  if (asked === undefined) return false;
  requireInPackage(asked.script, record.files);
  use.refuse?.(asked.script, { instance, package: record });
  await lookups.requireRunnable(asked.script, record);
  return true;
}
