import { isIP } from 'node:net';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { schemasOf, type SchemaName } from './schema-files.js';

/** True for an absolute http or https URL: SOL003 wants links that hold the API root. */
function isAbsoluteUrl(text: string): boolean {
  return /^https?:\/\/[^/\s]/.test(text) && URL.canParse(text);
}

/** True for a URI reference (RFC 3986): `about:blank` and `/vnflcm/v1` alike. */
const isUriReference = (text: string): boolean => !/\s/.test(text) && URL.canParse(text, 'http://base.invalid/');

// ETSI's files name no draft and use what all drafts have in common; strict mode would stumble over their format names.
const ajv = new Ajv({ allErrors: true, strict: false });
formats.default(ajv, ['date-time']);
ajv.addFormat('URI', isUriReference);
ajv.addFormat('url', isAbsoluteUrl);
ajv.addFormat('IP', (text) => isIP(text) !== 0);
ajv.addFormat('MAC', /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i);

const compiled = new Map<SchemaName, ValidateFunction[]>();

function validatorsOf(name: SchemaName): ValidateFunction[] {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const fresh = schemasOf(name).map((schema) => ajv.compile(schema));
  compiled.set(name, fresh);
  return fresh;
}

const sentence = ({ instancePath, message, params }: ErrorObject): string =>
  `${instancePath === '' ? '(whole)' : instancePath} ${message ?? 'is wrong'} ${JSON.stringify(params)}`;

/**
 * What ETSI's (corrected) schemas of a type find wrong with a value: one sentence each, empty for a valid one.
 * The value is looked at as JSON: undefined members count as absent. For the tests of all services.
 */
export function schemaErrors(name: SchemaName, value: unknown): string[] {
  const json: unknown = value === undefined ? undefined : JSON.parse(JSON.stringify(value));
  const found = validatorsOf(name).flatMap((validate) => (validate(json) ? [] : (validate.errors ?? []).map(sentence)));
  return [...new Set(found)];
}
