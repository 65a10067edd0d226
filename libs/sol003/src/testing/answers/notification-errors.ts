import { isJsonObject } from '@windlass/foundation';
import { schemaErrors } from '../../schemas/schema-errors.js';
import { SCHEMA_NAMES } from '../../schemas/schema-files.js';

/** The errors of a received notification by ETSI's schema of its type, a sentence each. */
export function notificationErrors(body: unknown): string[] {
  const type = isJsonObject(body) ? body.notificationType : undefined;
  const name = SCHEMA_NAMES.find((known) => known === type);
  return name === undefined ? [`ETSI has no schema of a notification of the type ${String(type)}`] : schemaErrors(name, body);
}
