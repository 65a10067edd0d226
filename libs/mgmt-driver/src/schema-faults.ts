import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { TerminalError, type InvalidParam, type JsonObject } from '@windlass/foundation';

/**
 * Where `additionalParams` do not follow a driver's JSON Schema (2020-12). Paths are pointers from the request's root; a missing member is named
 * by its own path.
 * @throws TerminalError `driver.bad-schema` for a schema that is none, or that refers to another document: nothing is fetched
 */
export function schemaFaults(schema: JsonObject, params: JsonObject): InvalidParam[] {
  const validate = compiled(schema);
  if (validate(params)) return [];
  const faults = (validate.errors ?? []).map(({ instancePath, keyword, params: details, message }) => {
    const missing = keyword === 'required' ? `/${(details as { missingProperty: string }).missingProperty}` : '';
    return {
      path: `/additionalParams${instancePath}${missing}`,
      reason: missing === '' ? (message ?? 'is wrong') : 'is missing',
    };
  });
  const seen = new Set<string>();
  return faults.filter(({ path, reason }) => !seen.has(`${path} ${reason}`) && seen.add(`${path} ${reason}`));
}

/** Compiling takes far longer than a check. */
const compiledSchemas = new WeakMap<JsonObject, ValidateFunction>();

function compiled(schema: JsonObject): ValidateFunction {
  const validate = compiledSchemas.get(schema) ?? compile(schema);
  compiledSchemas.set(schema, validate);
  return validate;
}

function compile(schema: JsonObject): ValidateFunction {
  try {
    return new Ajv2020({ strict: false, allErrors: true, verbose: false, logger: false }).compile(schema);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const detail = `the driver's schema of its parameters can't be used: ${reason}. Correct it, and start the driver again`;
    throw new TerminalError('driver.bad-schema', detail, { cause });
  }
}
