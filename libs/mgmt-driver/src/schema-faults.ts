import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { linearPattern, TerminalError, type InvalidParam, type JsonObject } from '@windlass/foundation';
import { uniqueItemsKeyword } from './unique-items.js';
import { sshLoginKeyword, type PrivateKeyCheck } from './ssh-login.js';

/**
 * Where `additionalParams` do not follow a driver's JSON Schema (2020-12). Paths are pointers from the request's root; a missing member is named
 * by its own path. Private keys of objects with the keyword `sshLogin` are held against `keyFault`, which libs/remote-host has.
 * Patterns take no longer than a text is long (`linearPattern`), and `uniqueItems` no longer than a list is.
 * @throws TerminalError `driver.bad-schema` for a schema that is none, that refers to another document (nothing is fetched), or that has a pattern
 *   with look-around, a back reference or a count above 1,000
 */
export function schemaFaults(schema: JsonObject, params: JsonObject, keyFault: PrivateKeyCheck): InvalidParam[] {
  const validate = compiled(schema);
  if (validate.call({ keyFault: once(keyFault) }, params)) return [];
  // What is wrong within a condition's branch is told at its own path.
  const told = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if').slice(0, MOST_FAULTS);
  const faults = told.map(({ instancePath, keyword, params: details, message }) => {
    const missing = keyword === 'required' ? `/${(details as { missingProperty: string }).missingProperty}` : '';
    return {
      path: `/additionalParams${instancePath}${missing}`,
      reason: missing === '' ? (message ?? 'is wrong') : 'is missing',
    };
  });
  const seen = new Set<string>();
  return faults.filter(({ path, reason }) => !seen.has(`${path} ${reason}`) && seen.add(`${path} ${reason}`));
}

/** Who has more reads them after the first are mended. */
const MOST_FAULTS = 1_000;

/** Groups of VMs often have one key, and opening an encrypted one takes the better part of a second. */
function once(check: PrivateKeyCheck): PrivateKeyCheck {
  const known = new Map<string, ReturnType<PrivateKeyCheck>>();
  return (privateKey, passphrase) => {
    const which = JSON.stringify([privateKey, passphrase]);
    if (!known.has(which)) known.set(which, check(privateKey, passphrase));
    return known.get(which);
  };
}

/** Compiling takes far longer than a check. */
const compiledSchemas = new WeakMap<JsonObject, ValidateFunction>();

function compiled(schema: JsonObject): ValidateFunction {
  const validate = compiledSchemas.get(schema) ?? compile(schema);
  compiledSchemas.set(schema, validate);
  return validate;
}

/** What ajv runs `pattern` and `patternProperties` with. `code` is for schemas that are compiled to a file, which none is. */
const regExp = Object.assign((pattern: string) => linearPattern(pattern), { code: 'linearPattern' });

function compile(schema: JsonObject): ValidateFunction {
  try {
    const ajv = new Ajv2020({
      strict: false,
      allErrors: true,
      verbose: false,
      logger: false,
      passContext: true,
      code: { regExp },
    });
    return ajv.removeKeyword('uniqueItems').addKeyword(uniqueItemsKeyword).addKeyword(sshLoginKeyword).compile(schema);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const detail = `the driver's schema of its parameters can't be used: ${reason}. Correct it, and start the driver again`;
    throw new TerminalError('driver.bad-schema', detail, { cause });
  }
}
