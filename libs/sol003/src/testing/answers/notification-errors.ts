import { isJsonObject } from '@windlass/foundation';
import { schemaErrors } from '../../schemas/schema-errors.js';
import { SCHEMA_NAMES } from '../../schemas/schema-files.js';

/** What ETSI's schema of its type finds wrong with a notification as a subscriber received it: one sentence each, none for a right one. */
export function notificationErrors(body: unknown): string[] {
  const type = isJsonObject(body) ? body.notificationType : undefined;
  const name = SCHEMA_NAMES.find((known) => known === type);
  return name === undefined ? [`ETSI has no schema of a notification of the type ${String(type)}`] : schemaErrors(name, body);
}
