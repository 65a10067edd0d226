import { isJsonObject, SecretPlaces, MASK, masked, type JsonObject } from '@windlass/foundation';
import type { DriverDescription, OperationOnInstance } from './driver.js';

/** Member of a parameter's schema: a retry of the operation may give it another value, which steps find at `SOURCES.retryParams`. */
export const MAY_CHANGE_AT_RETRY = 'mayChangeAtRetry';

/**
 * Names of the `additionalParams` that a retry of this operation may give anew: those at the top of the operation's schema that say
 * `mayChangeAtRetry: true`. A secret is none of them, for what is done already was done with the one before.
 */
export function retryParameters(description: Pick<DriverDescription, 'operationParameters'>, operation: string): string[] {
  const schema = description.operationParameters?.[operation as OperationOnInstance];
  if (schema === undefined || !isJsonObject(schema.properties)) return [];
  const places = SecretPlaces.of(schema);
  return Object.entries(schema.properties)
    .filter(([, of]) => isJsonObject(of) && of[MAY_CHANGE_AT_RETRY] === true)
    .map(([name]) => name)
    .filter((name) => masked<JsonObject>({ [name]: 'x' }, places)[name] !== MASK);
}
