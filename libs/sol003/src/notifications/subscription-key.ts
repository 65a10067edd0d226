import { isJsonObject } from '@windlass/foundation';

/**
 * A text that is equal for subscriptions that ask for the same: equal callback and equal filter, whatever the order of members
 * and list values; what is empty or null asks for nothing and does not count. A second subscription with the key of a first is
 * answered with 303 (SOL003 5.4.18.3.1). Credentials and verbosity do not count.
 */
export const subscriptionKey = (request: { callbackUri: string; filter?: object | undefined }): string =>
  JSON.stringify([request.callbackUri, canonical(request.filter)]);

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) {
    const entries = value.map((entry: unknown) => JSON.stringify(canonical(entry)));
    return entries.length === 0 ? undefined : [...new Set(entries)].sort();
  }
  if (!isJsonObject(value)) return value ?? undefined;
  const members = Object.entries(value)
    .map(([name, member]): [string, unknown] => [name, canonical(member)])
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return members.length === 0 ? undefined : members;
}
