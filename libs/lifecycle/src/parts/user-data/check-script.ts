import { RequestError, type JsonObject } from '@windlass/foundation';
import { requireInPackage, type NamedScript } from '@windlass/user-data';
import type { RequestSubject } from '../../operation/operation-definition.js';
import type { LcmOperation } from '../../records/records.js';
import { scriptOf } from './script-step.js';

/** What of a request is looked at: its body, and what it is checked against. */
type Checked = Pick<RequestSubject<object>, 'instance' | 'package' | 'lookups'> & { request: JsonObject };

/**
 * Whether a script will be run for it, which is held against the package and against what can be run.
 * @throws RequestError 400 with the path of the key that is wrong, or that says why no script can be run; 409 `user-data.not-reconnected`
 */
export async function checkScript(
  { request, instance, package: record, lookups }: Checked,
  operation: LcmOperation,
): Promise<boolean> {
  const asked = scriptOf({ instance, opOcc: { operation, request } });
  if (asked === undefined) return false;
  requireInPackage(asked.script, record.files);
  if (operation === 'CHANGE_EXT_CONN' && record.model.reconnectingScripts?.includes(asked.script.path) === false)
    throw notReconnected(instance.id, asked.script);
  await lookups.requireRunnable(asked.script, record);
  return true;
}

/** The networks are the script's words, and it knows no others. */
const notReconnected = (id: string, { path, className }: NamedScript): RequestError =>
  new RequestError(
    409,
    'user-data.not-reconnected',
    `the networks of VNF instance ${id} were computed by a user data script of its package, and ${path} has no method change_ext_conn for its class ${className}: terminate it and instantiate it anew on the other networks, or onboard a package whose script has one`,
  );
