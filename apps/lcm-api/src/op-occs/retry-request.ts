import { isJsonObject, pointerToken, RequestError, type InvalidParam, type Json, type JsonObject } from '@windlass/foundation';
import { retryParameters, schemaFaults, type DriverDescription, type OperationOnInstance } from '@windlass/mgmt-driver';
import type { OpOccRecord } from '@windlass/lifecycle';

/** The most parameters that a retry may change. */
const MAX_NAMES = 50;

/**
 * The parameters that a retry gives anew; none for the standard's retry, which has no body.
 * @throws RequestError 400 with the path of each member that a retry does not take
 */
export function retryParamsOf(body: unknown): JsonObject {
  if (body === undefined || body === null) return {};
  if (!isJsonObject(body as Json))
    throw wrong([{ path: '', reason: 'is no JSON object: a retry has no body, or {"additionalParams": {...}}' }]);
  const { additionalParams = {}, ...more } = body as JsonObject;
  const others = Object.keys(more).slice(0, MAX_NAMES);
  if (others.length > 0)
    throw wrong(
      others.map((name) => ({
        path: `/${pointerToken(name)}`,
        reason:
          'is no member of a retry: it has no body, or {"additionalParams": {...}}. For another request roll the operation back, then ask anew',
      })),
    );
  if (!isJsonObject(additionalParams)) throw wrong([{ path: '/additionalParams', reason: 'is no JSON object' }]);
  return additionalParams;
}

/** @throws RequestError 400: this task takes no body, by the standard */
export function refuseBody(task: string, body: unknown): void {
  if (body === undefined || body === null) return;
  if (isJsonObject(body as Json) && Object.keys(body as JsonObject).length === 0) return;
  throw wrong([{ path: '', reason: `${task} takes no body (SOL003 5.4.14 - 5.4.16)` }]);
}

/**
 * Checks a retry's parameters against what the operation's drivers allow to change, and against their schemas, as at the request.
 * @returns the operation's `additionalParams` from now on
 * @throws RequestError 400 with the path of each parameter
 */
export function changedParams(
  { operation, request }: Pick<OpOccRecord, 'operation' | 'request'>,
  given: JsonObject,
  drivers: readonly DriverDescription[],
): JsonObject {
  const may = new Set(drivers.flatMap((driver) => retryParameters(driver, operation)));
  const names = Object.keys(given);
  const fixed = names.filter((name) => !may.has(name)).slice(0, MAX_NAMES);
  if (fixed.length > 0) {
    const allowed =
      may.size === 0
        ? `a retry of ${operation} changes no parameter of this VNF`
        : `a retry of ${operation} may change ${[...may].join(', ')}`;
    throw wrong(
      fixed.map((name) => ({
        path: `/additionalParams/${pointerToken(name)}`,
        reason: `can't be changed now: ${allowed}. Retry without it, or roll the operation back and ask anew`,
      })),
    );
  }
  const before = isJsonObject(request.additionalParams ?? null) ? (request.additionalParams as JsonObject) : {};
  const after = { ...before, ...given };
  // What was there before was looked at with the request; what its driver says otherwise of it by now is nothing that this retry could mend.
  const faults = drivers.flatMap((driver) => {
    const schema = driver.operationParameters?.[operation as OperationOnInstance];
    return schema === undefined ? [] : schemaFaults(schema, after, () => undefined);
  });
  const ofThese = faults.filter(({ path }) =>
    names.some((name) => `${path}/`.startsWith(`/additionalParams/${pointerToken(name)}/`)),
  );
  if (ofThese.length > 0) throw wrong(ofThese);
  return after;
}

function wrong(invalidParams: InvalidParam[]): RequestError {
  const [first] = invalidParams;
  const text = first === undefined ? 'wrong' : `${first.path === '' ? 'the body' : first.path}: ${first.reason}`;
  return new RequestError(400, 'request.invalid', text, { invalidParams });
}
