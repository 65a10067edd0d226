import type { JsonObject } from '@windlass/foundation';
import type { OpOccRecord } from './records.js';

/** The parameters that retries have given anew, as they are by now: what their steps find at `SOURCES.retryParams`. */
export function retriedWith({ draft, request }: Pick<OpOccRecord, 'draft' | 'request'>): JsonObject {
  const params = (request.additionalParams ?? {}) as JsonObject;
  return Object.fromEntries(
    (draft.retryParams ?? []).filter((name) => Object.hasOwn(params, name)).map((name) => [name, params[name] ?? null]),
  );
}

/** Puts parameters that a retry gives into the record, as the request's own. @param params all of the request's parameters, with the retry's */
export function retryWith(opOcc: OpOccRecord, params: JsonObject, names: readonly string[]): void {
  opOcc.request = { ...opOcc.request, additionalParams: params };
  opOcc.draft.retryParams = [...new Set([...(opOcc.draft.retryParams ?? []), ...names])];
}
