import { isIP, isIPv4, isIPv6 } from 'node:net';
import { isJsonObject, type Json, type JsonObject, isUuid } from '@windlass/foundation';
import { describeValue } from './describe-value.js';

/** A place below the value under test, and what is wrong there. */
export interface Finding {
  /** JSON pointer relative to the value: empty for the value itself, `/2` for its third element. */
  at: string;
  reason: string;
}

/** What a single attribute has to be. */
export interface Rule {
  /** The end of the sentence "expected ...". */
  readonly expected: string;
  /** What JSON Schema (draft 2020-12) can say of it, for the OpenAPI document. */
  readonly schema: JsonObject;
  /** Everything that is wrong with the value; empty if it is right. */
  readonly findings: (value: Json) => Finding[];
  /** Another spelling of the same value that existing clients send, put right before it is tested. */
  readonly normalise?: (value: Json) => Json;
}

/** The sentence for a wrong value. It names the kind of what came, never the value: that might be a secret. */
export const expectedGot = (expected: string, value: unknown): string => `expected ${expected}, got ${describeValue(value)}`;

function rule(expected: string, schema: JsonObject, accepts: (value: Json) => boolean, normalise?: (value: Json) => Json): Rule {
  const findings = (value: Json): Finding[] => (accepts(value) ? [] : [{ at: '', reason: expectedGot(expected, value) }]);
  return { expected, schema, findings, ...(normalise === undefined ? {} : { normalise }) };
}

/** The longest Identifier, name and URI that the API takes; PostgreSQL columns and the reference system agree on it. */
export const MAX_TEXT = 255;
/** The longest description. */
export const MAX_DESCRIPTION = 1024;
/** The longest URL that is called: the standard has no limit, and signed query strings of 300 characters and more are usual. */
export const MAX_CALLED_URL = 2_048;

/** A string of `min` to `max` characters. */
export const text = ({ min = 0, max = MAX_TEXT } = {}): Rule =>
  rule(
    min === 0 ? `a string of at most ${max} characters` : `a string of ${min} to ${max} characters`,
    { type: 'string', ...(min === 0 ? {} : { minLength: min }), maxLength: max },
    (value) => typeof value === 'string' && value.length >= min && value.length <= max,
  );

/** An Identifier, IdentifierInVnf, IdentifierInVnfd or IdentifierInVim (SOL003 4.4.2): not empty. */
export const identifier: Rule = text({ min: 1 });

/** A UUID, as Windlass makes of its own ids. */
export const uuid: Rule = rule('a UUID such as 2fa85f64-5717-4562-b3fc-2c963f66afa6', { type: 'string', format: 'uuid' }, isUuid);

/** One of the given words, spelled exactly. A wrong word is repeated if it looks like one. */
export function oneOf(words: readonly string[]): Rule {
  const expected = words.length === 1 ? `"${words[0] ?? ''}"` : `one of ${words.join(', ')}`;
  return {
    expected,
    schema: { type: 'string', enum: [...words] },
    findings: (value) => {
      if (typeof value === 'string' && words.includes(value)) return [];
      const got = typeof value === 'string' && /^[A-Za-z0-9_.-]{1,40}$/.test(value) ? `"${value}"` : describeValue(value);
      return [{ at: '', reason: `expected ${expected}, got ${got}` }];
    },
  };
}

/** A whole number. A string of digits is taken for one: the guides' own samples write `"numberOfSteps": "1"`. */
export const whole = ({ min = 0, max = Number.MAX_SAFE_INTEGER } = {}): Rule =>
  rule(
    max === Number.MAX_SAFE_INTEGER ? `an integer of ${min} or more` : `an integer from ${min} to ${max}`,
    { type: 'integer', minimum: min, ...(max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max }) },
    (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max,
    (value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value),
  );

/** True or false. */
export const flag: Rule = rule('a boolean', { type: 'boolean' }, (value) => typeof value === 'boolean');

/** KeyValuePairs: an object of the caller's own making. */
export const keyValuePairs: Rule = rule('an object', { type: 'object' }, isJsonObject);

/** An IPv4 or IPv6 address. */
export const ipAddress: Rule = rule(
  'an IP address',
  { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] },
  (value) => typeof value === 'string' && isIP(value) !== 0,
);

/** The address family of a text, or undefined where it is no address. */
export const ipVersion = (address: string): 'IPV4' | 'IPV6' | undefined =>
  isIPv4(address) ? 'IPV4' : isIPv6(address) ? 'IPV6' : undefined;

/** Six pairs of hexadecimal digits with colons or hyphens between. */
export const macAddress: Rule = rule(
  'a MAC address such as fa:16:3e:00:00:01',
  { type: 'string', pattern: '^[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}$' },
  (value) => typeof value === 'string' && /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i.test(value),
);

/** An absolute http or https URL with a host. The user part of a URL is refused where `user` is false: credentials have attributes of their own. */
export const httpUrl = ({ max = MAX_TEXT, user = true } = {}): Rule =>
  rule(
    `an absolute http or https URL of at most ${max} characters${user ? '' : ' without user or password'}`,
    { type: 'string', format: 'uri', maxLength: max },
    (value) => {
      // The URL parser repairs much, such as blanks within: what it would have to repair is refused.
      if (typeof value !== 'string' || value.length > max || !/^https?:\/\/[^\s/]\S*$/i.test(value) || !URL.canParse(value))
        return false;
      const url = new URL(value);
      return user || (url.username === '' && url.password === '');
    },
  );

/** A list whose elements each obey one rule. A wrong element is found at its own place. */
export function listOf(element: Rule, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}): Rule {
  const expected = `${describeListSize(min, max)}, each ${element.expected}`;
  return {
    expected,
    schema: {
      type: 'array',
      items: element.schema,
      ...(min === 0 ? {} : { minItems: min }),
      ...(max === Number.MAX_SAFE_INTEGER ? {} : { maxItems: max }),
    },
    findings: (value) => {
      if (!Array.isArray(value) || value.length < min || value.length > max) {
        return [{ at: '', reason: expectedGot(expected, value) }];
      }
      return value.flatMap((entry, index) =>
        element.findings(entry).map((finding) => ({ at: `/${index}${finding.at}`, reason: finding.reason })),
      );
    },
    normalise: (value) => (Array.isArray(value) ? value.map((entry) => element.normalise?.(entry) ?? entry) : value),
  };
}

/** How long a list has to be, in words. */
export function describeListSize(min: number, max: number): string {
  if (min === max) return `a list of exactly ${min}`;
  if (max === Number.MAX_SAFE_INTEGER) return min === 0 ? 'a list' : `a list of at least ${min}`;
  return min === 0 ? `a list of at most ${max}` : `a list of ${min} to ${max}`;
}

/** Takes a single value for a list of one: the guides' sample heals `"vnfcInstanceId": "<id>"`. */
export const orSingle = (list: Rule): Rule => ({
  ...list,
  normalise: (value) => {
    const listed: Json = Array.isArray(value) || value === null ? value : [value];
    return list.normalise?.(listed) ?? listed;
  },
});
