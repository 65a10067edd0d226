/**
 * What a plain scalar, one without quotes, means: the one place that knows. TOSCA's parser and Heat both read YAML by PyYAML, whose resolver these
 * patterns follow: YAML 1.1 (https://yaml.org/type/), but `y` and `n` are texts.
 */
export type Scalar = string | number | boolean | null;

const NULL = /^(?:|~|null|Null|NULL)$/;
const TRUE = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const BINARY = /^([-+]?)0b([01_]+)$/;
const OCTAL = /^([-+]?)0([0-7_]+)$/;
/** YAML 1.2's, which is a text for PyYAML. Where a number is wanted there is no doubt of what is meant. */
const NEW_OCTAL = /^([-+]?)0o([0-7]+)$/;
const HEXADECIMAL = /^([-+]?)0x([\da-fA-F_]+)$/;
const DECIMAL = /^[-+]?(?:0|[1-9][\d_]*)$/;
/** Hours, minutes and seconds, or degrees: a whole number, or one with a fraction. */
const SEXAGESIMAL = /^([-+]?)(\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?)$/;
const FLOAT = /^(?:[-+]?\d[\d_]*\.[\d_]*|\.\d[\d_]*)(?:[eE][-+]\d+)?$/;

/** Characters of a number: longer ones are texts. */
const LONGEST_NUMBER = 100;

/** What a plain scalar means. A whole number that JavaScript can't hold exactly, infinity and "not a number" stay texts. */
export function plainScalar(text: string): Scalar {
  if (text.length > LONGEST_NUMBER) return text;
  if (NULL.test(text)) return null;
  if (TRUE.test(text)) return true;
  if (FALSE.test(text)) return false;
  return numberOf(text) ?? text;
}

function numberOf(text: string): number | undefined {
  for (const [pattern, base] of [
    [BINARY, 2],
    [OCTAL, 8],
    [HEXADECIMAL, 16],
  ] as const) {
    const [, sign, digits] = pattern.exec(text) ?? [];
    if (digits !== undefined) return exact(sign, Number.parseInt(`0${digits.replaceAll('_', '')}`, base));
  }
  const digits = text.replaceAll('_', '');
  if (DECIMAL.test(text)) return exact('', Number(digits));
  if (FLOAT.test(text)) return finite(Number(digits));
  const [, sign, places] = SEXAGESIMAL.exec(text) ?? [];
  if (places === undefined || (!text.includes('.') && /^[-+]?0/.test(text))) return undefined;
  const sum = places
    .replaceAll('_', '')
    .split(':')
    .reduce((above, place) => above * 60 + Number(place), 0);
  return text.includes('.') ? finite(sign === '-' ? -sum : sum) : exact(sign, sum);
}

/** Undefined for one that would lose digits. */
const exact = (sign: string | undefined, value: number): number | undefined =>
  Number.isSafeInteger(value) ? (sign === '-' ? 0 - value : value + 0) : undefined; // and no -0

const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);

/**
 * A truth value as a property of that type takes it: of a plain scalar what YAML makes of it; of a text, in quotes, `true` and `false` in any
 * letters. Undefined for anything else.
 */
export function booleanOf(text: string, quoted: boolean): boolean | undefined {
  const value = quoted ? text : plainScalar(text);
  if (typeof value === 'boolean') return value;
  const small = text.toLowerCase();
  return small === 'true' ? true : small === 'false' ? false : undefined;
}

/** A number as a property of that type takes it: of a plain scalar what YAML makes of it; of a text its decimal digits. Undefined for anything else. */
export function numericOf(text: string, quoted: boolean): number | undefined {
  const value = quoted ? text : plainScalar(text);
  if (typeof value === 'number') return value;
  const [, sign, octal] = quoted ? [] : (NEW_OCTAL.exec(text) ?? []);
  if (octal !== undefined) return exact(sign, Number.parseInt(octal, 8));
  if (typeof value !== 'string' || !/^\s*[-+]?\d{1,15}(?:\.\d{1,15})?\s*$/.test(text)) return undefined;
  return Number(text);
}

/** The same of a whole number: `2.0` is one. */
export function integerOf(text: string, quoted: boolean): number | undefined {
  const value = numericOf(text, quoted);
  return value !== undefined && Number.isSafeInteger(value) ? value : undefined;
}
